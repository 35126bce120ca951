"""Notes as HTTP tells them: a parameter is one of the address."""

from cairn.codebase.wording import UNNAMED, Spelling
from cairn.questions.question import Question
from cairn.surfaces.http.steps import request


def spelling(question: Question) -> Spelling:
    """The words of a question's address."""
    return Spelling(
        {each.name: each.query_name for each in question.parameters if each.name not in UNNAMED}, step=request
    )
