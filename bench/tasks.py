"""Tasks that an agent plays with one set of tools, and how they were played.

    python -m bench.tasks list                          the tasks, without what is right
    python -m bench.tasks shell LOG ROOT 'rg -n word'   one call of a player with grep, find and reading
    python -m bench.tasks cairn LOG ROOT search '{"query": "word"}'    one call of a player with Cairn's tools
    python -m bench.tasks score FOLDER                  FOLDER/cairn and FOLDER/shell hold N.log and N.json, the answer
    python -m bench.tasks script FOLDER                 the calls of tasks_script.json over the checkouts in FOLDER

A call's cost is what the player has to write and what comes back, in bytes. A player sees a task and its own tools; the
tools that Cairn lists cost as well and are told beside. The script is no player: its calls were chosen by someone who
knew the gold. It tells what answers cost from one version to the next, and whether what is right is in them.
"""

import json
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from bench.processes import ChildError

TASKS = Path(__file__).with_name("tasks.toml")
SCRIPT = Path(__file__).with_name("tasks_script.json")
_ALLOWED = frozenset({"rg", "grep", "find", "ls", "cat", "head", "tail", "sed", "wc", "sort", "uniq", "cut", "awk"})
_JOINTS = frozenset({"|", ";", "&&", "||"})
_SIDES = ("cairn", "shell")


@dataclass(frozen=True, slots=True)
class Task:
    number: int
    project: str
    kind: str
    question: str
    answer: str
    gold: tuple[str, ...]

    def is_right(self, said: Sequence[str]) -> bool:
        """Whether an answer is the gold, no more and no less; the order counts for a chain alone."""
        given = [self._plain(item) for item in said]
        wanted = [self._plain(item) for item in self.gold]
        return given == wanted if self.answer == "chain" else set(given) == set(wanted)

    def _plain(self, item: str) -> str:
        """A name as it is meant: without the marks of a call and, where the gold has none, without its type."""
        plain = item.strip().removeprefix("./").removesuffix("()")
        if self.answer in ("names", "chain") and not any("." in gold for gold in self.gold):
            plain = re.split(r"[.#:]+", plain)[-1]
        return plain


def tasks() -> list[Task]:
    """All of them, numbered from 1."""
    with TASKS.open("rb") as file:
        found = tomllib.load(file)["tasks"]
    return [
        Task(number, item["project"], item["kind"], item["question"], item["answer"], tuple(item["gold"]))
        for number, item in enumerate(found, 1)
    ]


def shell(root: Path, command: str) -> str:
    """What a pipe of commands prints that look and don't write, in the root."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    words = ["|", *lexer]
    programs = [after for before, after in pairwise(words) if before in _JOINTS]
    others = {word for word in words if not word.strip("();<>|&")} - _JOINTS
    if not programs or not _ALLOWED.issuperset(programs) or others or re.search(r"`|\$\(", command):
        return f"Only {', '.join(sorted(_ALLOWED))}, joined by pipes; nothing is written.\n"
    done = subprocess.run(command, shell=True, cwd=root, capture_output=True, text=True, errors="replace", check=False)
    return done.stdout + done.stderr


def cairn(root: Path, tool: str, arguments: dict[str, Any]) -> str:
    """What a model gets to see of one call of a tool."""
    (answer,) = _asked(root, [("tools/call", {"name": tool, "arguments": arguments})])
    if "result" not in answer:
        return str(answer["error"]["message"])
    return "\n".join(part["text"] for part in answer["result"]["content"] if part["type"] == "text")


def listed(root: Path) -> str:
    """The tools as a host gives them to a model."""
    (answer,) = _asked(root, [("tools/list", {})])
    return json.dumps(answer["result"]["tools"])


def _asked(root: Path, calls: Sequence[tuple[str, dict[str, Any]]]) -> list[dict[str, Any]]:
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
    lines = [
        {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        *({"jsonrpc": "2.0", "id": at, "method": name, "params": given} for at, (name, given) in enumerate(calls, 1)),
    ]
    server = subprocess.Popen(
        (sys.executable, "-m", "cairn", "mcp", "--root", str(root)),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=root,
    )  # fmt: skip
    if server.stdin is None or server.stdout is None:
        raise ChildError("the server has no pipes")
    for each in lines:
        server.stdin.write(json.dumps(each) + "\n")
    server.stdin.flush()
    answers: dict[int, dict[str, Any]] = {}
    while len(answers) <= len(calls):
        line = server.stdout.readline()
        if not line:
            raise ChildError("the server ended before it had answered")
        said = json.loads(line)
        if "method" not in said:
            answers[said["id"]] = said
    server.stdin.close()
    server.wait()
    return [answers[at] for at in range(1, len(calls) + 1)]


def score(folder: Path) -> str:
    """A table by kind of task: right, calls and bytes of each side."""
    lines = [
        "| kind of task | tasks | Cairn: right | calls | bytes | grep: right | calls | bytes |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    everything = tasks()
    kinds = sorted({task.kind for task in everything})
    for kind in (*kinds, None):
        own = [task for task in everything if kind in (task.kind, None)]
        cells = [cell for side in _SIDES for cell in _side(folder / side, own)]
        lines.append(f"| {kind or '**all**'} | {len(own)} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _side(folder: Path, own: Sequence[Task]) -> tuple[str, str, str]:
    right = calls = cost = 0
    for task in own:
        log, answer = folder / f"{task.number}.log", folder / f"{task.number}.json"
        entries = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()] if log.exists() else []
        calls += len(entries)
        cost += sum(entry["asked"] + entry["given"] for entry in entries)
        right += answer.exists() and task.is_right(json.loads(answer.read_text(encoding="utf-8")))
    return str(right), str(calls), f"{cost:,}"


def scripted() -> dict[int, list[tuple[str, dict[str, Any]]]]:
    """The calls of the script by the number of their task."""
    found = json.loads(SCRIPT.read_text(encoding="utf-8"))
    return {int(number): [(tool, given) for tool, given in calls] for number, calls in found.items()}


def script(folder: Path) -> str:
    """A table by kind of task: calls, bytes, and in how many tasks all of the gold is in the answers."""
    script, everything = scripted(), tasks()
    counts: dict[str, list[int]] = {}
    for task in everything:
        calls = [("tools/call", {"name": tool, "arguments": given}) for tool, given in script[task.number]]
        texts = [each["result"]["content"][0]["text"] for each in _asked(folder / task.project, calls)]
        asked = sum(len(tool) + len(json.dumps(given).encode()) for tool, given in script[task.number])
        cost = asked + sum(len(text.encode()) for text in texts)
        for kind in (task.kind, "**all**"):
            row = counts.setdefault(kind, [0, 0, 0, 0])
            held = all(_holds("\n".join(texts), gold) for gold in task.gold)
            counts[kind] = [before + own for before, own in zip(row, (1, held, len(calls), cost), strict=True)]
    lines = ["| kind of task | tasks | gold in the answers | calls | bytes |", "| --- | --- | --- | --- | --- |"]
    kinds = sorted(counts, key=lambda kind: (kind.startswith("*"), kind))
    lines += [f"| {kind} | {' | '.join(f'{count:,}' for count in counts[kind])} |" for kind in kinds]
    return "\n".join(lines)


def _holds(text: str, gold: str) -> bool:
    """Whether a place or a name is in a text: a place by its file and its line."""
    path, _, line = gold.partition(":")
    if not line:
        return gold in text or gold.rpartition(".")[2] in text
    return path in text and re.search(rf"\b{line}\b", text) is not None


def main(arguments: Sequence[str]) -> int:
    match list(arguments):
        case ["list"]:
            for task in tasks():
                print(f"{task.number}. [{task.project}] {task.question} Answer with {task.answer}.")
        case ["shell", log, root, command]:
            _log(Path(log), command, shell(Path(root), command))
        case ["cairn", log, root, tool, *given]:
            asked = given[0] if given else "{}"
            _log(Path(log), tool + asked, cairn(Path(root), tool, json.loads(asked)))
        case ["tools", root]:
            print(listed(Path(root)))
        case ["script", folder]:
            print(script(Path(folder)))
        case ["score", folder]:
            print(score(Path(folder)))
        case _:
            print(__doc__)
            return 2
    return 0


def _log(log: Path, asked: str, given: str) -> None:
    entry = {"call": asked, "asked": len(asked.encode()), "given": len(given.encode())}
    with log.open("a", encoding="utf-8") as file:
        file.write(json.dumps(entry) + "\n")
    sys.stdout.write(given)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
