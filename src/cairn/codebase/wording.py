"""The sentences of all notes: one a code, in which a surface spells parameters as it calls them."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from cairn.base.notes import LAST_INDEX_FAILED, Lift, Note
from cairn.base.steps import Advice, NextStep, WordStep, worded_hint
from cairn.base.text import plural
from cairn.base.values import dataclass, field, replace
from cairn.codebase.calls import call

_FEW = 3
TRUNCATED = "CALL_GRAPH_NOTES_TRUNCATED"


@dataclass(frozen=True, slots=True)
class Spelling:
    """How a surface says which parameter lifts a limit."""

    names: Mapping[str, str] | None = None
    """What it calls each parameter: one that it doesn't have can't be recommended. None: each has its own name."""
    ask: str = "ask with"
    up_to: str = "{name}={value}"
    """Any value up to this one."""
    exactly: str = "{name}={value}"
    most: Mapping[str, int] = field(default_factory=dict)
    """How far it lets a parameter go, where that is less far than the question does."""

    step: WordStep = NextStep.phrase
    """How it says what mends something."""
    is_compared: bool = False
    """Whether programs compare its sentences: then the one about notes is the same whatever lifts the limit."""

    def called(self, parameter: str) -> str:
        """What it calls a parameter; empty for one that it doesn't have."""
        return parameter if self.names is None else self.names.get(parameter, "")

    def lifted(self, note: Note) -> Note:
        """A note whose lift can be followed here: by the surface's name, and no further than it lets that go."""
        if note.lift is None:
            return note
        name, lift = self.called(note.lift.parameter), note.within(self.most.get(note.lift.parameter)).lift
        lifts = name and lift is not None and lift.value is not None
        return replace(note, lift=Lift(name, lift.value) if lifts and lift else None)


PYTHON = Spelling(step=call)
"""The words of Python: a parameter is a keyword of the same name, a step a call."""


class Noted:
    """What has notes says them as sentences too."""

    __slots__ = ()
    notes: tuple[Note, ...]

    @property
    def warnings(self) -> tuple[str, ...]:
        """What one should know, in the words of Python."""
        return tuple(worded(note, PYTHON) for note in self.notes)


class _Said:
    """A note as a sentence sees it."""

    def __init__(self, note: Note, spelling: Spelling) -> None:
        self._note = note
        self.lift = spelling.lifted(note).lift
        self._spelling = spelling
        self.called = spelling.called
        self.ask = spelling.ask
        self.is_compared = spelling.is_compared

    def __getitem__(self, name: str) -> Any:
        value = self._note.fields[name]
        return worded_hint(value, self._spelling.step) if isinstance(value, Advice) else value

    def has(self, name: str) -> bool:
        return name in self._note.fields

    def count(self, name: str, noun: str) -> str:
        return plural(self[name], noun)

    def few(self, name: str) -> str:
        """Some of many, with what stands for the others."""
        shown: Sequence[str] = self[name]
        return ", ".join(shown) + (", ..." if len(shown) < self["count"] else "")

    def more(self) -> str:
        """The parameter with what it may be raised to; empty where raising it is not possible here."""
        return self._lift(self._spelling.up_to)

    def exact(self) -> str:
        """The parameter with the very value that lifts the limit; empty where it can't be lifted here."""
        return self._lift(self._spelling.exactly)

    def given(self, parameter: str, value: int) -> str:
        """A parameter with a value; empty where the surface doesn't have it."""
        name = self.called(parameter)
        return self._spelling.exactly.format(name=name, value=value) if name else ""

    def larger(self, whole: str, otherwise: str, form: str = "{exact} shows {all}", full: str = "full_tokens") -> str:
        """The budget that shows the whole, or as much as the surface allows; otherwise what else one can do."""
        lift = self.lift
        if lift is None:
            return otherwise
        shown = whole if lift.value == self[full] else "more"
        return form.format(exact=self.exact(), tokens=lift.value, all=shown)

    def _lift(self, form: str) -> str:
        return "" if self.lift is None else form.format(name=self.lift.parameter, value=self.lift.value)


def worded(note: Note, spelling: Spelling) -> str:
    """The sentence of a note; KeyError for a code that has none, which is a defect."""
    said = worded_hint(_SENTENCES[note.code](_Said(note, spelling)), spelling.step)
    return f"{note.fields['root']}: {said}" if "root" in note.fields else said


def _cut(name: str, said: _Said) -> str:
    more = said.more()
    return f"cut short by {name}: " + (f"{said.ask} {more} for more" if more else "ask for one of the nodes")


def _lines_cut(said: _Said) -> str:
    more, paths = said.more(), said.called("paths")
    ways = f"{said.ask} {more}, or a" if more else f"{said.ask} a"
    narrower = " narrower pattern" + f" or {paths}" * bool(paths)
    return f"only the first {said.count('limit', 'line')}: there are more; {ways}{narrower}"


def _commits_cut(said: _Said) -> str:
    more = said.more()
    first = f"only the latest {said.count('limit', 'commit')}: there are more"
    return first + f"; {said.ask} {more}" * bool(more)


def _looked_back(said: _Said) -> str:
    more = said.more()
    return f"only {said.count('limit', 'commit')} were looked at" + f": {said.ask} {more} for earlier ones" * bool(more)


def _places_cut(said: _Said) -> str:
    more = said.more()
    # Surer ones may stand where nobody looked.
    which = "" if said["partial"] else "the surest " if said["noun"] == "use" else "the first "
    total = "more than " * said["partial"] + said.count("total", said["noun"])
    return f"only {which}{said['limit']} of {total}: {f'{said.ask} {more}' if more else 'ask for a narrower name'}"


def _not_reached(said: _Said) -> str:
    paths = said.called("paths")
    simpler = f"{said.ask} a simpler expression" + f" or {paths}" * bool(paths)
    return f"{said.count('files', 'file')} not looked at: the time was over; {simpler}"


def _impact_cut(said: _Said) -> str:
    exact = said.exact()
    return "there is more than was followed: name fewer files" + f", or {said.ask} {exact}" * bool(exact)


def _uses_open(said: _Said) -> str:
    missed = "more tests may see the change" if said["tests"] else "that no test was found proves nothing"
    return f"{said.count('uses', 'use')} of these names could not be resolved: {missed}"


def _notes_truncated(said: _Said) -> str:
    more = "" if said.is_compared else said.more()
    return TRUNCATED + f": {more} shows more" * bool(more)


def _definitions_left_out(said: _Said) -> str:
    symbol = said.called("symbol")
    one = f"{said.ask} {symbol} for one of them" if symbol else "ask for one of them"
    return f"{said.count('definitions', 'definition')} left out: {said.larger('all', one)}"


def _budget_cut(said: _Said) -> str:
    narrower = "Narrow the search with path: or lang:, or read the places that are named."
    return said.larger("everything in full", narrower, "A budget of {tokens} tokens ({exact}) shows {all}.")


def _read_cut(said: _Said) -> str:
    larger = said.larger("all", "", full="full_bytes")
    if said["within"]:
        return f"cut within line {said['line'] + 1}: {larger or 'search for lines to see a part of it'}"
    onward = said.given("start_line", said["line"] + 1)
    ways = ", ".join(filter(None, (f"{onward} reads on" * bool(onward), larger)))
    return f"cut behind line {said['line']}: {ways or 'ask for fewer lines'}"


def _none_known(noun: str, place: str, said: _Said) -> str:
    if not said["open"]:
        claim = f"no {noun} is known, and no {place} of that name is open"
    else:
        claim = f"no {noun} is proven or likely: {said.count('open', place)} of that name may be one"
    ways = [f"{said.count(way, noun)} {does}" for way, (noun, does) in _OTHER_WAYS.items() if said.has(way)]
    return f"{claim}; but {' and '.join(ways)}" if ways else claim


_OTHER_WAYS = {
    "read": ("place", "may read it or hand it on"),
    "unseen": ("definition", "may be called by a decorator, a library or the language itself"),
    "strings": ("string", "may name it"),
}


def _no_way(said: _Said) -> str:
    if not said["known"]:
        return f"nothing is called {said['to']} here"
    return f"no calls that are known here lead to {said['to']} within {said['steps']} steps"


def _unread(said: _Said) -> str:
    shown = [f"{each['path']} ({each['reason'].replace('_', ' ')})" for each in said["files"][:_FEW]]
    more = ", ..." if said["count"] > len(shown) else ""
    return f"{said.count('count', 'file')} that could not be read whole may hold more: {', '.join(shown)}{more}"


def _facts_older(said: _Said) -> str:
    noun = "the file" if said["count"] == 1 else "the files"
    return Advice(f"semantic facts of {said.few('files')} are older than {noun}: ", NextStep("refresh"))


def _facts_carried(said: _Said) -> str:
    lines = said.count("lines", "changed line")
    return Advice(f"semantic facts of {said.few('files')} leave out {lines}: ", NextStep("refresh"))


def _uncommitted(said: _Said) -> str:
    what = "uncommitted changes and untracked files" if said["untracked"] else "uncommitted changes"
    return f"the shared snapshot may hold {what} that only this work tree has"


def _little_indexed(said: _Said) -> str:
    rules = "; ".join(f"{each['files']:,} by {each['rule']}" for each in said["rules"])
    more = said["count"] - len(said["rules"])
    some = f"only {said.count('indexed', 'file')}" if said["indexed"] else "nothing"
    return f"{some} indexed, {said.count('left_out', 'file')} left out: {rules}" + (
        f"; {plural(more, 'more rule')}" if more else ""
    )


_FILES_OF = {"docs": "the documents of ", "code": "the code of "}
"""What a mode looks at."""


def looked_in(within: Sequence[str], *, filtered: bool, mode: str) -> str:
    """Where a search looked, in words."""
    where = " or ".join(within) or ("what the filters leave" if filtered else "the tree")
    return _FILES_OF.get(mode, "") + where


def _looked_in(said: _Said) -> str:
    return looked_in(said["within"], filtered=said["filtered"], mode=said["mode"])


def _left_out(said: _Said) -> str:
    why = f" ({said['rule']})" if said["rule"] else ""
    return Advice(f"nothing of {said['path']} is in the index{why}: ", NextStep("preview"), " to see what counts")


_SENTENCES: Mapping[str, Callable[[_Said], str]] = {
    # The snapshot and the tree.
    "older_snapshot": lambda s: Advice(f"{s['cause']}: an older snapshot answers; ", NextStep("repair")),
    "unsaved": lambda s: f"{s.count('count', 'file')} as in the editor, not saved yet: {s.few('files')}",
    "last_index_failed": lambda s: f"{LAST_INDEX_FAILED}, the last good snapshot answers: {s['message']}",
    "sync_failed": lambda s: f"{LAST_INDEX_FAILED}, the last snapshot answers: {s['message']} {s['hint']}",
    "not_synced": lambda s: f"not synced, the last snapshot answers: {s['message']}",
    "files_gone": lambda s: f"{s.count('files', 'file')} left out: gone since the snapshot",
    "cited_changed": lambda s: f"{s.count('files', 'cited file')} changed since the snapshot",
    "degraded": lambda s: f"degraded: {s.count('files', 'file')} could not be brought up to date",
    "shown_as_before": lambda s: f"{s['path']} is shown as it was before: it could not be read since",
    "place_moved": lambda s: f"{s['path']} changed since the snapshot: line {s['line']} is that of the snapshot",
    "not_in_snapshot": lambda s: (
        f"{s.count('count', 'changed file')} not in the snapshot, newer or left out of the index: {s.few('files')}"
    ),
    "proof_unseen": lambda s: f"the completion proof could not be looked for: {s['message']}",
    "tree_unseen": lambda s: f"the tree could not be looked at: {s['message']}",
    "index_empty": lambda _: Advice(
        "the index holds no file, since the rules leave all of them out: ", NextStep("preview")
    ),
    "rules_unread": lambda s: f"{s['path']} is not a plain file: no rules are read from it",
    "manifest_unreadable": lambda s: f"{s['path']} can't be read whole: {s['message']}",
    # The question.
    "left_out": _left_out,
    "defined_elsewhere": lambda s: (
        f"nothing there is called {s['asked']}; elsewhere there is {s.count('count', 'definition')}"
    ),
    "alias": lambda s: f"{s['path']} is a link to {s['target']}",
    "nearest_in_meaning": lambda s: f"nothing in {_looked_in(s)} has these words; shown is what is nearest in meaning",
    "nothing_fits": lambda s: f"nothing in {_looked_in(s)} fits this well: what is shown may be no answer",
    "no_words": lambda s: "the query has no words to look for" + ": filters alone find nothing" * s["filters"],
    "embedder_failed": lambda s: f"by words and names alone, since the embedder failed: {s['message']}",
    "vectors_unavailable": lambda s: (
        f"by words and names alone, since the vectors can't be asked ({s['error']}): {s['message']} {s['hint']}"
    ),
    "history_lost": lambda s: Advice(
        f"commits don't count in the order, since their history can't be used: {s['message']} ",
        NextStep("push_askable_again" if s.has("remote") else "repair"),
    ),
    "history_mended": lambda s: f"the history of commits was read anew: {s['message']}",
    "history_unread": lambda s: (
        f"commits that could not be read don't count, and are asked for again with the next change: {s['message']}"
    ),
    "vectors_mended": lambda s: (
        f"a server had lost the vectors of {plural(s['segments'], 'segment')}: they were written anew"
    ),
    "spelt_otherwise": lambda s: f"nothing is called {s['asked']} here, but {s['found']} is",
    "names_like": lambda s: f"nothing is called {s['asked']} here; did you mean {' or '.join(s['names'])}?",
    "local": lambda s: f"{s['name']} is local, a {s['kind']} of {s['within'] or 'its file'}",
    "no_uses": lambda s: _none_known("use", "place", s),
    "no_way": _no_way,
    "no_callers": lambda s: _none_known("caller", "call", s),
    "unread": _unread,
    "facts_older": _facts_older,
    "facts_carried": _facts_carried,
    "left_out_by_tool": lambda s: f"{s['tool']} has nothing about {s.few('files')}: their answers are by syntax",
    "refreshes_unknown": lambda s: f"{s['message']} {s['hint']}",
    # Limits.
    "places_cut": _places_cut,
    "files_cut": lambda s: f"only the first {s['limit']:,} files that may hold the name were looked at",
    "nodes_cut": lambda s: _cut("nodes", s),
    "fan_out_cut": lambda s: _cut("fan_out", s),
    "notes_truncated": _notes_truncated,
    "impact_cut": _impact_cut,
    "uses_open": _uses_open,
    "lines_cut": _lines_cut,
    "commits_cut": _commits_cut,
    "looked_back": _looked_back,
    "one_of_several": lambda s: (
        f"{plural(s['count'] + 1, 'definition')} are called {s['name']}: this is {s['shown']}, not {s.few('others')}"
    ),
    "history_shallow": lambda _: (
        "this clone is shallow: what changed before its first commit is not known; run `git fetch --unshallow`"
    ),
    "history_secret": lambda s: f"what came before is left out: {s['message']}",
    "took_too_long": lambda s: (
        f"the expression took too long in {s.count('count', 'file')}, left out: {s.few('files')}"
    ),
    "not_reached": _not_reached,
    "long_lines": lambda _: "of very long lines only the part around the match is shown",
    "map_cut": lambda s: f"the map is cut to its budget: {s.larger('all', 'search, or ask for the outline of a file')}",
    "definitions_left_out": _definitions_left_out,
    "budget_cut": _budget_cut,
    "read_cut": _read_cut,
    "answer_cut": lambda s: f"{s['what']} left out: {s.larger('all', s['narrower'], full='full_bytes')}",
    # Several codebases.
    "codebase_gone": lambda s: f"{s['codebase']} is left out: the folder is gone",
    "codebase_unknown": lambda _: Advice("a store whose root can't be told is left out: ", NextStep("stores")),
    "codebase_failed": lambda s: f"{s['codebase']} did not answer: {s['message']} {s['hint']}".strip(),
    "query_settings_unused": lambda _: "its [query] settings don't count where several codebases are asked",
    # Syncs and what comes with them.
    "little_indexed": _little_indexed,
    "git_missing": lambda _: "git was not found on the PATH: head and uncommitted changes are not known",
    "registry_behind": lambda s: f"the registry could not be brought up to date: {s['message']}",
    "control_damaged": lambda s: f"{s['path']} was damaged: it is kept as {s['kept']}, and begins anew",
    "registry_damaged": lambda s: f"the registry was damaged and begins anew; what was there is kept as {s['kept']}",
    "stores_unseen": lambda s: f"not every store was looked at, and some may have to be indexed again: {s['message']}",
    "proof_missing": lambda _: (
        "the index was recorded as complete, but was not (or was removed in part): it is made anew"
    ),
    "run_not_synced": lambda s: f"not synced before the run: {s['message']}",
    "proven_left_out": lambda s: f"proven places are left out, so the code may not fit: {', '.join(s['places'])}",
    "index_not_told": lambda s: f"the files are written, but the index was not told: {s['message']}",
    "cut_by_lines": lambda s: f"{s['path']} was cut by lines: its parser failed or was killed",
    "not_compacted": lambda s: f"the snapshot was published, but the store could not be compacted: {s['message']}",
    "not_tidied": lambda s: f"the store could not be tidied: {s['message']}",
    "uncommitted_shared": _uncommitted,
    "answering_kept": lambda s: Advice(
        f"the index that answers is kept: its vectors are in {s['engine']}, and the settings say {s['settings']}; ",
        NextStep("clear_all"),
    ),
    "vectors_left": lambda s: f"vectors were left behind, since the settings name another address: {s['address']}",
    "seed_apart": lambda s: f"not started from another work tree: vectors lie in {s['engine']}, apart for each store",
    "seed_damaged": lambda s: f"not started from snapshot {s['snapshot_id']} of {s['codebase']}: {s['message']}",
    "seed_refused": lambda s: f"not started from the index of {s['codebase']}: {s['message']}",
    "seed_unreadable": lambda s: f"not started from the store {s['store']}: {s['message']}",
    "pull_passed": lambda s: f"a nearer snapshot could not be had: {s['message']}",
    "remote_unused": lambda s: f"not started from the remote {s['remote']}: {s['message']}",
    "siblings_unseen": lambda s: f"other work trees were not looked for: {s['message']}",
    "vectors_unshared": lambda s: f"vectors of chunks are not shared with other machines for now: {s['message']}",
    "cache_row_damaged": lambda _: "A row of the embedding cache was damaged; it is computed again.",
    "cache_damaged": lambda s: f"The embedding cache was damaged; it is kept as {s['kept']}, and starts empty.",
    "cache_locked": lambda _: "The embedding cache is locked by another process; some vectors are computed again.",
    "cache_unused": lambda s: f"The embedding cache is not used: {s['message']}.",
    "cache_held": lambda _: (
        "The embedding cache is damaged and in use by another process; it is not used until that one ends."
    ),
    "cache_lost": lambda s: f"The embedding cache was damaged and can't be made anew: {s['message']}.",
}
CODES = frozenset(_SENTENCES)
