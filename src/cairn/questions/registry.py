"""All questions, in the order in which help shows them."""

from cairn.questions import code, reports, search, semantic
from cairn.questions.question import Question
from cairn.questions.read import READ

QUESTIONS: tuple[Question, ...] = (*search.QUESTIONS, *code.QUESTIONS, READ, *semantic.QUESTIONS, *reports.QUESTIONS)


def question(name: str) -> Question:
    """A question by its name."""
    return next(each for each in QUESTIONS if each.name == name)
