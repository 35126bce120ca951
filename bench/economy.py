"""What an answer is worth by the token: the share of the gold that is in the first tokens of the output.

The queries are those of the public retrieval benchmark (see bench.retrieval for the variables that name its data).
Three subjects answer in the text that they print: `cairn search --budget`, semble, and an agent with ripgrep who looks
for the rarest words of the query and reads the files that hold most of them.
"""

import json
import os
import re
import statistics
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from bench import peers
from bench.processes import environment
from bench.running import running_cairn

BUDGETS = (500, 1000, 2000, 4000)
_BAR = (2000, 0.95)
_CHARACTERS = 4
"""What counts as one token, for every subject alike."""
_WORDS = 4
"""So many of the rarest words of a query are looked for with ripgrep."""
_FILES = 20

ABOUT = """For each public query, the share of its gold files of which code is shown within so many tokens of output
(a token is four characters), the mean over queries. Cairn is asked with that budget; semble's text
output is cut where the budget ends; ripgrep looks for the four rarest words of the query in any case,
and the files that hold most of them, then those with most lines, are read whole in that order until the
budget ends: neither the search itself nor its output is counted."""

Show = Callable[[str, int], str]


@dataclass(frozen=True, slots=True)
class Query:
    text: str
    gold: tuple[str, ...]
    kind: str


def section(work: Path) -> str:
    """A table by budget and subject, or why there is none."""
    scorer, mirrors = os.environ.get("CAIRN_BENCH_SCORER"), os.environ.get("CAIRN_BENCH_MIRRORS")
    if not scorer or not mirrors:
        return "Not measured: set CAIRN_BENCH_SCORER and CAIRN_BENCH_MIRRORS."
    data = Path(scorer).parent
    found: dict[tuple[str, int], list[float]] = {}
    for spec in json.loads((data / "repos.json").read_text(encoding="utf-8")):
        root = checkout(spec, Path(mirrors), work / "economy")
        queries = list(_queries(data / "annotations" / f"{spec['name']}.json"))
        for subject, shares in _measured(work, root, queries).items():
            for budget, values in shares.items():
                found.setdefault((subject, budget), []).extend(values)
    return f"{ABOUT}\n\n{_table(found)}"


def checkout(spec: dict[str, Any], mirrors: Path, work: Path) -> Path:
    """The files of one repository at its pinned commit, out of a bare mirror."""
    owner, name = spec["url"].removesuffix(".git").split("/")[-2:]
    out, inner = work / str(spec["name"]), str(spec.get("benchmark_root") or "")
    if not out.is_dir():
        git = ("git", "--git-dir", str(mirrors / f"{owner}+{name}" / "repo"), "archive", spec["revision"])
        tree = subprocess.run((*git, *([inner] if inner else [])), capture_output=True, check=True)
        out.mkdir(parents=True)
        subprocess.run(("tar", "x", "-C", str(out)), input=tree.stdout, check=True)
    return out / inner


def _queries(path: Path) -> Iterator[Query]:
    for item in json.loads(path.read_text(encoding="utf-8")):
        targets = [*item.get("relevant", ()), *item.get("secondary", ())]
        gold = {target if isinstance(target, str) else target["path"] for target in targets}
        yield Query(item["query"], tuple(sorted(gold)), item.get("category", ""))


def _measured(work: Path, root: Path, queries: Sequence[Query]) -> dict[str, dict[int, list[float]]]:
    semble, program = peers.semble(work), str(peers.ripgrep(work))
    home = work / "homes" / "economy"
    kept = work / "homes" / "economy-semble"
    with running_cairn(home, root) as ours, semble.running(root, kept) as theirs:
        ours.ask("sync")
        theirs.ask("sync")
        shows: dict[str, Show] = {
            "cairn search --budget": lambda text, budget: str(ours.ask("show", text, budget).value),
            "semble": lambda text, budget: str(theirs.ask("show", text).value),
            "ripgrep and reading": lambda text, budget: grepped(partial(_counts, program, root), root, text, budget),
        }
        return {
            name: {budget: [share(show(q.text, budget), q.gold, budget) for q in queries] for budget in BUDGETS}
            for name, show in shows.items()
        }


def share(text: str, gold: Sequence[str], budget: int) -> float:
    """How much of the gold is shown before the budget ends: a line names the file and a line of its code follows."""
    lines = text[: budget * _CHARACTERS].splitlines()
    headed = [line for line, after in zip(lines, _later(lines), strict=True) if after]
    return statistics.mean(any(_names(line, path) for line in headed) for path in gold)


def _later(lines: Sequence[str]) -> list[bool]:
    """For each line whether something that isn't blank comes after it."""
    last = max((at for at, line in enumerate(lines) if line.strip()), default=0)
    return [at < last for at in range(len(lines))]


def _names(line: str, path: str) -> bool:
    """Whether a line is the heading of a file: its path from some folder on, with or without lines."""
    head = re.match(r"(\S.*?)(?::\d+(?:-\d+)?)?(?:  .*)?$", line)
    if head is None:
        return False
    said = head[1]
    return said == path or path.endswith("/" + said) or said.endswith("/" + path)


def grepped(counts: Callable[[str], dict[str, int]], root: Path, text: str, budget: int) -> str:
    """What an agent with ripgrep has read when the budget ends; `counts` tells the lines of a word in each file."""
    words = {word.lower() for word in re.findall(r"\w{3,}", text)}
    lines = {word: counts(word) for word in sorted(words)}
    rarest = sorted((word for word in lines if lines[word]), key=lambda word: (len(lines[word]), word))[:_WORDS]
    held = Counter(path for word in rarest for path in lines[word])
    total = Counter[str]()
    for word in rarest:
        total.update(lines[word])
    best = sorted(held, key=lambda path: (-held[path], -total[path], path))[:_FILES]
    read, room = [], budget * _CHARACTERS
    for path in best:
        if room <= 0:
            break
        body = f"{path}\n{(root / path).read_text(encoding='utf-8', errors='replace')}\n"
        read.append(body[:room])
        room -= len(body)
    return "".join(read)


def _counts(program: str, root: Path, word: str) -> dict[str, int]:
    done = subprocess.run(
        (program, "--ignore-case", "--fixed-strings", "--count", word, "."),
        cwd=root, capture_output=True, text=True, env=environment(), check=False,
    )  # fmt: skip
    found = (line.rpartition(":") for line in done.stdout.splitlines())
    return {path.removeprefix("./"): int(count) for path, _, count in found}


def _table(found: dict[tuple[str, int], list[float]]) -> str:
    subjects = list(dict.fromkeys(subject for subject, _ in found))
    count = len(next(iter(found.values())))
    lines = [
        f"| share of gold in so many tokens, {count} queries | {' | '.join(f'{budget:,}' for budget in BUDGETS)} |",
        f"| --- {'| --- ' * len(BUDGETS)}|",
    ]
    for subject in subjects:
        means = [f"{statistics.mean(found[subject, budget]):.3f}" for budget in BUDGETS]
        lines.append(f"| {subject} | {' | '.join(means)} |")
    ours = statistics.mean(found[subjects[0], _BAR[0]])
    lines += ["", f"The bar is {_BAR[1]} at {_BAR[0]:,} tokens: {'holds' if ours >= _BAR[1] else 'MISSES'}."]
    return "\n".join(lines)
