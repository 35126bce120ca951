"""Every note has its sentence, and each surface says it in its own words."""

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import cairn
from cairn.base import notes
from cairn.base.errors import NotIndexedError, UsageError
from cairn.base.notes import Lift, Note, note_from
from cairn.base.steps import PHRASES, Advice, NextStep, hint_document, hint_from, worded_hint
from cairn.codebase import calls as python_calls
from cairn.codebase.wording import CODES, PYTHON, Spelling, worded
from cairn.questions.envelope import note_fields, spelled
from cairn.questions.registry import QUESTIONS
from cairn.surfaces.cli import notes as cli
from cairn.surfaces.cli import notes as cli_steps
from cairn.surfaces.http import answers as http_steps
from cairn.surfaces.mcp import notes as mcp
from cairn.surfaces.mcp import steps as mcp_steps
from tests.notes import SPELLING as CLI

SOURCE = Path(cairn.__file__).resolve().parent
HTTP = Spelling(
    {each.name: each.query_name for question in QUESTIONS for each in question.parameters}, is_compared=True
)
MCP = mcp.spelling(
    {"nodes": "limit", "limit": "limit", "depth": "depth", "budget_tokens": "budget_tokens"},
    most={"nodes": 500, "budget_tokens": 100_000},
)
CORE = (
    "base config engines syntax store embed workspace search graph lifecycle semantic readcache indexing edit codebase "
    "questions api"
).split()
FLAG = re.compile(r"(?<![\w-])--[a-z]")
FOREIGN = re.compile(r"\b(?:git|pip) (?:[a-z]|--)[^`]*")
COMMAND = re.compile(r"\bcairn (?:[a-z]|--)")
COMMANDS_AS_VALUES = {
    "store/health.py": "the field `action` of a check is a command",
    "store/audit.py": "the field `action` of a drift is a command",
    "edit/gate/verdict.py": "the field of a witness that says which command settles a doubt",
    "edit/gate/draft.py": "the field of a witness that says which command settles a doubt",
}
"""Modules whose answers hold commands as values, beside sentences."""

CUT = Note("nodes_cut", {"limit": 100}, Lift("nodes", 2_000))
PLACES = Note("places_cut", {"limit": 3, "total": 9, "noun": "use", "partial": False}, Lift("limit", 2_000))
LINES = Note("lines_cut", {"limit": 100}, Lift("limit", 10_000))
IMPACT = Note("impact_cut", {}, Lift("depth", 1))
BUDGET = Note("budget_cut", {"limit": 100, "full_tokens": 900}, Lift("budget_tokens", 900))
TRUNCATED = Note("notes_truncated", {"limit": 50, "shown": 50, "total": 60}, Lift("notes", 1_000))
MAP = Note("map_cut", {"limit": 2_000, "full_tokens": 107_740}, Lift("budget_tokens", 107_740))
OUTLINE = Note("definitions_left_out", {"limit": 9, "definitions": 2, "full_tokens": 90}, Lift("budget_tokens", 90))
READ = Note("read_cut", {"limit": 25, "full_bytes": 540, "line": 2, "within": False}, Lift("max_bytes", 540))
UNREACHED = Note("not_reached", {"files": 2})
SAMPLES = {
    note.code: note
    for note in (
        CUT,
        PLACES,
        LINES,
        IMPACT,
        BUDGET,
        TRUNCATED,
        UNREACHED,
        Note("fan_out_cut", {"limit": 25}, Lift("fan_out", 500)),
        Note("files_cut", {"limit": 3_000}),
        Note("commits_cut", {"limit": 20}, Lift("limit", 2_000)),
        Note("looked_back", {"limit": 5_000}, Lift("back", 50_000)),
        MAP,
        OUTLINE,
        READ,
        Note("answer_cut", {"limit": 1, "full_bytes": 9, "what": "2 of 3 nodes", "narrower": "ask for one"}),
        Note("took_too_long", {"files": ("a--b.py",), "count": 2}),
        Note("no_uses", {"open": 0}),
        Note("proven_left_out", {"places": ["a.py:1"]}),
        Note("no_way", {"to": "Lease.drop", "steps": 12, "known": True}),
        Note("one_of_several", {"name": "x", "shown": "a.py:1", "others": ["b.py:2"], "count": 1}),
        Note("local", {"name": "x", "kind": "variable", "within": "f"}),
        Note("no_callers", {"open": 2}),
        Note("unread", {"count": 1, "files": [{"path": "a--b.py", "reason": "too_large"}]}),
        Note("facts_older", {"files": ("a--b.py",), "count": 1}),
        Note("left_out_by_tool", {"tool": "scip-python", "files": ("a--b.py",), "count": 1}),
        Note("facts_carried", {"files": ("a--b.py",), "count": 1, "lines": 2}),
        Note("not_in_snapshot", {"files": ("a--b.py",), "count": 1}),
        Note("unsaved", {"files": ("a--b.py",), "count": 1}),
        Note("no_words", {"filters": True}),
        Note("left_out", {"path": "a--b", "rule": ".gitignore:1: a--b"}),
        Note("defined_elsewhere", {"asked": "prompt", "count": 2}),
        Note("names_like", {"asked": "promt", "names": ("prompt",)}),
        Note("nearest_in_meaning", {"within": ["docs/a--b"], "filtered": True, "mode": "auto"}),
        Note("nothing_fits", {"within": ["docs/a--b"], "filtered": True, "mode": "docs"}),
        Note(
            "little_indexed",
            {"indexed": 0, "left_out": 7, "rules": [{"rule": ".gitignore:1: /*", "files": 7}], "count": 1},
        ),
        Note("uncommitted_shared", {"untracked": True}),
    )
}
_EVERYTHING = {
    name: f"docs/{name}--draft.md"
    for name in "address asked cause codebase engine error found hint kept message path snapshot_id store".split()
} | {
    "remote": "docs/remote--draft.md",
    "settings": "flat",
    "target": "src/a--b.py",
    "files": 2,
    "segments": 2,
    "uses": 2,
    "tests": 0,
    "line": 7,
}


def sample(code: str) -> Note:
    return SAMPLES.get(code) or Note(code, _EVERYTHING)


def modules(*rooms: str) -> Iterator[tuple[Path, ast.Module]]:
    for room in rooms or ("",):
        for path in sorted((SOURCE / room).rglob("*.py")):
            yield path, ast.parse(path.read_bytes(), str(path))


def made_codes(tree: ast.Module) -> Iterator[str]:
    """The codes of the notes that a module makes."""
    ours = any(isinstance(node, ast.ImportFrom) and node.module == "cairn.base.notes" for node in ast.walk(tree))
    for node in ast.walk(tree) if ours else ():
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Note" and node.args:
            first = node.args[0]
            if isinstance(first, ast.Constant):
                yield str(first.value)
            elif isinstance(first, ast.Name):
                yield str(getattr(notes, first.id))


def texts(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Every text of a module; what is filled in later is left out of it."""
    parts = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield node.lineno, "".join(str(part.value) for part in node.values if isinstance(part, ast.Constant))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in parts:
            yield node.lineno, node.value


def names_a_door(text: str) -> bool:
    """Whether a sentence tells of an option or of a command of Cairn: only the command line has them."""
    said = FOREIGN.sub("", text)
    return " " in text.strip() and (FLAG.search(said) or COMMAND.search(said)) is not None


def docstrings(tree: ast.Module) -> set[int]:
    """Where texts begin that nobody but a reader of the code sees."""
    return {
        node.value.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    }


def examples(tree: ast.Module) -> set[int]:
    """Lines of the examples of a question's commands."""
    return {
        line
        for node in ast.walk(tree)
        if isinstance(node, ast.keyword) and node.arg == "example"
        for line in range(node.value.lineno, (node.value.end_lineno or 0) + 1)
    }


EDITS = frozenset({"replace", "sub", "subn", "translate", "removeprefix", "removesuffix"})
NO_SENTENCES = {
    "questions/parameters.py": "names of options",
    "questions/reference.py": "cells of a table",
    "questions/semantic_documents.py": "times",
    "surfaces/cli/asked.py": "examples in the help of commands",
    "surfaces/cli/drawing.py": "labels of pictures",
    "surfaces/cli/editors.py": "names of programs",
    "surfaces/cli/grep.py": "patterns",
    "surfaces/cli/lastlist.py": "names of terminals",
    "surfaces/cli/manual.py": "signs that mean something in a manual page",
    "surfaces/cli/preview.py": "names of styles",
    "surfaces/cli/results.py": "lines of code, which are coloured",
    "surfaces/http/files.py": "lines of code",
    "surfaces/http/hovers.py": "lines of code",
    "surfaces/cli/shells.py": "signs that mean something to a shell",
    "surfaces/http/guard.py": "hosts",
    "surfaces/http/openapi.py": "paths of the API",
    "program/serving.py": "names of options",
}
"""Modules that make another text of one, and of what."""


def edits(tree: ast.Module) -> Iterator[int]:
    """Lines that make another text of one; the end of a line is none of it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in EDITS:
            ends = [arg.value for arg in node.args if isinstance(arg, ast.Constant)] in (["\n"], ["\r"])
            if not ends and ast.unparse(node.func) != "os.replace":
                yield node.lineno


@pytest.mark.slow
@pytest.mark.requirement("Q.3")
def test_no_sentence_is_edited_after_it_was_made() -> None:
    rooms = ("questions", "daemon", "api", "surfaces/cli", "surfaces/mcp", "surfaces/http", "surfaces/page", "program")
    found = {path.relative_to(SOURCE).as_posix(): list(edits(tree)) for path, tree in modules(*rooms)}
    assert {path for path, lines in found.items() if lines} == NO_SENTENCES.keys()


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("x = worded(n, s).replace('--', '')\n", [1]),
        ("x = [re.sub('a', 'b', t) for t in texts(n)]\n", [1]),
        ("x = age.removesuffix(' old')\n", [1]),
        ("x = line.removesuffix('\\n')\nos.replace('a', 'b')\nreplace(n, a=1)\n", []),
    ],
)
def test_an_edited_sentence_is_seen(text: str, lines: list[int]) -> None:
    assert list(edits(ast.parse(text))) == lines


@pytest.mark.requirement("Q.3")
@pytest.mark.parametrize("note", [CUT, PLACES, IMPACT, UNREACHED], ids=lambda note: note.code)
def test_every_surface_says_what_its_own_words_make_of_a_note(note: Note) -> None:
    """One value, as many sentences as there are surfaces, and none goes through a second hand."""
    assert cli.texts([note]) == [worded(note, cli.PLAIN)]
    assert mcp.sentences([note], MCP) == [worded(note, MCP)]
    for words in (CLI, HTTP, PYTHON):
        assert note_fields([note], words) == {
            "warnings": [worded(note, words)],
            "notices": [words.lifted(note).document()],
        }


@pytest.mark.slow
@pytest.mark.requirement("Q.3")
def test_every_code_that_is_made_has_a_sentence_and_no_sentence_is_left_over() -> None:
    made = {code for _, tree in modules() for code in made_codes(tree)}
    assert made == CODES


@pytest.mark.slow
@pytest.mark.requirement("Q.3")
def test_no_text_of_the_core_names_an_option_or_a_command() -> None:
    found = [
        f"{name}:{line}: {text}"
        for path, tree in modules(*CORE)
        for name in [path.relative_to(SOURCE).as_posix()]
        # The page that tells of every door names them all.
        if name != "questions/reference.py" and name not in COMMANDS_AS_VALUES
        for unsaid in [docstrings(tree) | examples(tree)]
        for line, text in texts(tree)
        if line not in unsaid and names_a_door(text)
    ]
    assert found == []


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("use --limit up to 2000", True),
        ("Leave --since out.", True),
        ("Run `cairn index --reindex`, or use --force.", True),
        ("Run `cairn index`.", True),
        ("Run `git worktree add`.", False),
        ("docs/api--draft.md is there", False),
        ("--porcelain", False),
    ],
)
def test_an_option_or_a_command_in_a_sentence_is_seen(text: str, wrong: bool) -> None:
    assert names_a_door(text) is wrong


@pytest.mark.requirement("Q.3")
def test_every_step_has_words_at_every_door() -> None:
    assert cli_steps.COMMANDS.keys() == PHRASES.keys()
    assert mcp_steps.CALLS.keys() <= PHRASES.keys()
    assert http_steps.REQUESTS.keys() <= PHRASES.keys()
    assert python_calls.CALLS.keys() <= PHRASES.keys()
    for action in PHRASES:
        step = NextStep(action, "a b")
        assert cli_steps.command(step).startswith("run `")
        for said in (step.phrase(), mcp_steps.call(step), http_steps.request(step)):
            assert not re.search(r"cairn|{", said)
        assert "{" not in python_calls.call(step) + python_calls.opening_call(step)


@pytest.mark.requirement("Q.3")
def test_a_hint_is_said_in_the_words_of_each_door() -> None:
    hint = NotIndexedError("a is not indexed.").hint
    assert hint == "Index the codebase first."
    assert worded_hint(hint, cli_steps.command) == "Run `cairn index` first."
    assert worded_hint(hint, mcp_steps.call) == "Call manage_index with action=create first."
    assert worded_hint(hint, http_steps.request) == "Index the codebase first."
    assert worded_hint(hint, python_calls.call) == "Call workspace.sync() first."
    assert worded_hint("Name a file.", cli_steps.command) == "Name a file."
    usage = UsageError("No.").envelope(http_steps.request)
    assert usage["error"]["hint"] == "See /openapi.json to see what is understood."  # type: ignore[index]
    quoted = Advice("Or ", NextStep("index_folder", "/a b"), ".")
    assert worded_hint(quoted, cli_steps.command) == "Or run `cairn index '/a b'`."
    assert worded_hint(quoted, python_calls.call) == "Or call cairn.open('/a b')."


@pytest.mark.requirement("Q.3")
def test_a_hint_that_was_kept_is_still_said_in_the_words_of_each_door() -> None:
    for hint in (Advice("Then ", NextStep("job", "j1"), ", or ", NextStep("reindex"), "."), "Name a file."):
        kept = hint_from(json.loads(json.dumps(hint_document(hint))))
        assert (kept, worded_hint(kept, cli_steps.command)) == (hint, worded_hint(hint, cli_steps.command))
    assert spelled({"a": [{"hint": Advice(NextStep("repair"), ".")}], "b": 1}, cli_steps.command) == {
        "a": [{"hint": "Run `cairn repair`."}],
        "b": 1,
    }
    failed = Note("codebase_failed", {"codebase": "/a", "message": "Damaged.", "hint": Advice(NextStep("repair"), ".")})
    assert worded(failed, CLI).endswith("Damaged. Run `cairn repair`.")
    assert worded(failed, MCP).endswith("Damaged. Repair the store.")


@pytest.mark.requirement("Q.3")
@pytest.mark.parametrize("code", sorted(CODES))
def test_each_sentence_is_whole_on_each_surface(code: str) -> None:
    note = sample(code)
    for words in (CLI, MCP, HTTP, PYTHON, Spelling({})):
        sentence = worded(note, words)
        assert sentence == sentence.strip()
        assert "None" not in sentence
        assert worded(note.of("/a--b"), words) == f"/a--b: {sentence}"
        if words is not CLI:
            assert not FLAG.search(FOREIGN.sub("", sentence))
        # A path comes out as it went in.
        for value in note.fields.values():
            if isinstance(value, str) and value.endswith("--draft.md") and value in worded(note, CLI):
                assert value in sentence


@pytest.mark.requirement("Q.3")
@pytest.mark.parametrize(
    ("note", "words", "expected"),
    [
        (CUT, CLI, "cut short by nodes: use --nodes up to 2000 for more"),
        (CUT, MCP, "cut short by nodes: ask with limit: 500 for more"),
        (CUT, PYTHON, "cut short by nodes: ask with nodes=2000 for more"),
        (CUT, HTTP, "cut short by nodes: ask with nodes=2000 for more"),
        (CUT, Spelling({}), "cut short by nodes: ask for one of the nodes"),
        (Note("nodes_cut", {"limit": 500}, CUT.lift), MCP, "cut short by nodes: ask for one of the nodes"),
        (PLACES, CLI, "only the surest 3 of 9 uses: use --limit up to 2000"),
        (PLACES, MCP, "only the surest 3 of 9 uses: ask with limit: 2000"),
        (
            LINES,
            CLI,
            "only the first 100 lines: there are more; use --limit up to 10000, or a narrower pattern or --path",
        ),
        (
            LINES,
            PYTHON,
            "only the first 100 lines: there are more; ask with limit=10000, or a narrower pattern or paths",
        ),
        (LINES, HTTP, "only the first 100 lines: there are more; ask with limit=10000, or a narrower pattern or glob"),
        (UNREACHED, CLI, "2 files not looked at: the time was over; use a simpler expression or --path"),
        (IMPACT, CLI, "there is more than was followed: name fewer files, or use --depth 1"),
        (IMPACT, HTTP, "there is more than was followed: name fewer files, or ask with depth=1"),
        (IMPACT, Spelling({}), "there is more than was followed: name fewer files"),
        (BUDGET, CLI, "A budget of 900 tokens (--budget 900) shows everything in full."),
        (BUDGET, PYTHON, "A budget of 900 tokens (budget_tokens=900) shows everything in full."),
        (BUDGET, HTTP, "A budget of 900 tokens (budget=900) shows everything in full."),
        (BUDGET, Spelling({}), "Narrow the search with path: or lang:, or read the places that are named."),
        (MAP, HTTP, "the map is cut to its budget: budget=107740 shows all"),
        (MAP, MCP, "the map is cut to its budget: budget_tokens: 100000 shows more"),
        (
            Note("map_cut", {"limit": 100_000, "full_tokens": 107_740}, MAP.lift),
            MCP,
            "the map is cut to its budget: search, or ask for the outline of a file",
        ),
        (OUTLINE, CLI, "2 definitions left out: --budget 90 shows all"),
        (Note("definitions_left_out", OUTLINE.fields), CLI, "2 definitions left out: use --symbol for one of them"),
        (Note("definitions_left_out", OUTLINE.fields), Spelling({}), "2 definitions left out: ask for one of them"),
        (READ, PYTHON, "cut behind line 2: start_line=3 reads on, max_bytes=540 shows all"),
        (Note("read_cut", READ.fields), PYTHON, "cut behind line 2: start_line=3 reads on"),
        (
            Note("read_cut", {**READ.fields, "within": True}, READ.lift),
            PYTHON,
            "cut within line 3: max_bytes=540 shows all",
        ),
        (TRUNCATED, CLI, "CALL_GRAPH_NOTES_TRUNCATED: --notes up to 1000 shows more"),
        (TRUNCATED, HTTP, "CALL_GRAPH_NOTES_TRUNCATED"),
        (TRUNCATED, MCP, "CALL_GRAPH_NOTES_TRUNCATED"),
    ],
)
def test_a_limit_is_lifted_in_the_words_of_the_surface(note: Note, words: Spelling, expected: str) -> None:
    assert worded(note, words) == expected


@pytest.mark.requirement("Q.3")
@pytest.mark.parametrize(
    ("note", "words", "expected"),
    [
        (CUT, CLI, Lift("--nodes", 2_000)),
        (CUT, MCP, Lift("limit", 500)),
        (CUT, PYTHON, CUT.lift),
        (Note("nodes_cut", {"limit": 1}, Lift("of_a_new_question", 9)), PYTHON, Lift("of_a_new_question", 9)),
        (Note("nodes_cut", {"limit": 500}, CUT.lift), MCP, None),
        (CUT, Spelling({}), None),
        (MAP, HTTP, Lift("budget", 107_740)),
        (MAP, MCP, Lift("budget_tokens", 100_000)),
        (TRUNCATED, HTTP, Lift("notes", 1_000)),
        (UNREACHED, CLI, None),
    ],
)
def test_the_value_of_a_lift_is_what_its_sentence_says(note: Note, words: Spelling, expected: Lift | None) -> None:
    assert words.lifted(note).lift == expected
    if expected is not None and note is not TRUNCATED:
        assert f"{expected.value}" in worded(note, words)
        assert expected.parameter in worded(note, words)


def test_an_unknown_code_is_a_defect() -> None:
    with pytest.raises(KeyError):
        worded(Note("nobody_knows"), CLI)


@pytest.mark.requirement("Q.3")
def test_json_holds_sentences_and_the_values_behind_them() -> None:
    document = note_fields([PLACES, Note("long_lines")], CLI)
    assert document == {
        "warnings": [
            "only the surest 3 of 9 uses: use --limit up to 2000",
            "of very long lines only the part around the match is shown",
        ],
        "notices": [
            {
                "code": "places_cut",
                "limit": 3,
                "total": 9,
                "noun": "use",
                "partial": False,
                "lift": {"parameter": "--limit", "value": 2_000},
            },
            {"code": "long_lines"},
        ],
    }


@pytest.mark.requirement("Q.3")
@pytest.mark.parametrize("code", sorted(CODES))
def test_a_note_is_read_back_from_its_document(code: str) -> None:
    note = sample(code)
    assert note_from(note.document()) == note
