import os
import subprocess
import sys
from pathlib import Path

import pytest
from bench.processes import ChildError, MemoryWatch, Program, environment, memory_of, run, run_by_turns
from bench.running import Running

SPIN = "import time\nwhile time.process_time() < 0.2: pass"
FAT = f"import os\nblock = os.urandom(40_000_000)\n{SPIN}"


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


@pytest.mark.slow
def test_cpu_and_memory_are_those_of_the_child_and_of_what_it_waited_for() -> None:
    nested = f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {FAT!r}], check=True)"
    alone = run(python("pass"), environment())
    used = run(python(nested), environment())
    assert used.cpu >= 0.2
    assert used.cpu > alone.cpu
    assert used.peak - alone.peak > 20_000_000
    assert used.wall > 0


def test_a_failing_child_is_no_figure() -> None:
    with pytest.raises(ChildError, match="ended with 3: broken"):
        run(python("import sys\nprint('broken', file=sys.stderr)\nsys.exit(3)"), environment())


@pytest.mark.slow
def test_programs_take_turns_and_are_put_in_order_before_each_run(tmp_path: Path) -> None:
    order: list[str] = []
    programs = {
        name: Program(python("pass"), environment(), lambda name=name: order.append(name))  # type: ignore[misc]
        for name in ("one", "two")
    }
    assert set(run_by_turns(programs, 2)) == {"one", "two"}
    assert order == ["one", "two"] * 3
    order.clear()
    run_by_turns(programs, 1, warm_up=False)
    assert order == ["one", "two"]


def test_children_may_write_bytecode_whatever_this_process_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    assert "PYTHONDONTWRITEBYTECODE" not in environment()
    assert environment(CAIRN_HOME="there")["CAIRN_HOME"] == "there"


def test_memory_counts_the_children_too() -> None:
    child = subprocess.Popen(
        python("import os, sys\nblock = os.urandom(40_000_000)\nprint(flush=True)\nsys.stdin.read()"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        assert child.stdout is not None
        child.stdout.readline()
        with MemoryWatch(os.getpid()) as watch:
            pass
        assert memory_of(child.pid) > 40_000_000
        assert watch.peak > memory_of(child.pid)
    finally:
        child.communicate()
    assert memory_of(child.pid) == 0


ANSWERS = """
from bench.answering import answer
def spin():
    import time
    end = time.process_time() + 0.1
    while time.process_time() < end: pass
    print("noise")
    return "done"
answer({"spin": spin, "add": lambda one, two: one + two})
"""


def test_a_running_subject_answers_with_what_an_action_took() -> None:
    with Running(python(ANSWERS), environment()) as subject:
        assert subject.ask("add", 1, 2).value == 3
        took = subject.ask("spin")
        assert took.value == "done"
        assert took.cpu >= 0.09
        assert took.wall >= took.cpu * 0.5
        assert subject.memory() > 0


def test_a_subject_that_ends_is_an_error_and_no_hang() -> None:
    with Running(python("pass"), environment()) as subject, pytest.raises(ChildError, match="ended while"):
        subject.ask("anything")


@pytest.mark.slow
def test_a_child_is_not_charged_with_the_memory_of_who_measures_it() -> None:
    block = os.urandom(60_000_000)
    assert run(python("pass"), environment()).peak < 50_000_000
    assert len(block) == 60_000_000


def test_a_command_that_does_not_exist_is_no_figure() -> None:
    with pytest.raises(ChildError, match="could not be started"):
        run(["no-such-command-here"], environment())
