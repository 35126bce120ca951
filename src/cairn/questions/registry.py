"""All questions, in the order in which help shows them."""

from cairn.questions import code, reports
from cairn.questions.question import Question
from cairn.questions.search import SEARCH
from cairn.questions.semantic import CONTEXTS

ABOUT_CODE: tuple[Question, ...] = code.QUESTIONS
ABOUT_MEANING: tuple[Question, ...] = (CONTEXTS,)
QUESTIONS: tuple[Question, ...] = (SEARCH, *ABOUT_CODE, *ABOUT_MEANING, *reports.QUESTIONS)


def question(name: str) -> Question:
    """A question by its name."""
    return next(each for each in QUESTIONS if each.name == name)
