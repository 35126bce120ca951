"""Notes as HTTP tells them: a parameter is one of the address."""

from cairn.questions.question import Question
from cairn.questions.wording import UNNAMED, Spelling


def spelling(question: Question) -> Spelling:
    """The words of a question's address."""
    return Spelling({each.name: each.query_name for each in question.parameters if each.name not in UNNAMED})
