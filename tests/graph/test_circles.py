"""Answers that lead back to their own questions: what hangs on nothing that is open is kept, and nothing else."""

from cairn.graph.meaning import Circles


def test_a_circle_that_closes_in_itself_is_gone_round_once() -> None:
    circles, asked = Circles(), list[str]()

    def ask(name: str) -> int:
        def found() -> int:
            asked.append(name)
            inner = {"a": ["b"], "b": ["a"], "outer": ["a"], "other": ["a"]}[name]
            return 1 + sum(ask(each) for each in inner)

        return circles.answer(name, found, 0, once=True)

    assert ask("outer") == 3
    assert ask("other") == 3
    assert asked == ["outer", "a", "b", "other"]


def test_what_was_cut_by_an_open_question_is_found_anew() -> None:
    circles = Circles()

    def ask(name: str) -> int:
        inner = {"a": ["b"], "b": ["a"]}[name]
        return circles.answer(name, lambda: 1 + sum(map(ask, inner)), 0)

    assert ask("a") == 2
    # Inside of a it had nothing of a: asked by itself it has.
    assert ask("b") == 3
