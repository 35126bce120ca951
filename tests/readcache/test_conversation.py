"""A naive simulator of conversations holds the truth; the cache is held against it.

The simulator keeps, for each branch, the newest text of every line that the model was given and still has. Whatever
the cache answers, the simulator works out what the model then knows, and compares that with the file.
"""

import contextlib
import hashlib
import tempfile
from dataclasses import dataclass, field

import pytest
from bench.context import Sheet, WrongError
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from cairn.readcache.answers import ReadAnswer, ReadRequest, ReadSource
from cairn.readcache.cache import ReadCache
from cairn.readcache.lines import split
from cairn.readcache.meta import Mode, range_of

pytestmark = pytest.mark.slow

PATHS = ("a.py", "b.py")


@dataclass
class Message:
    """One entry of the conversation: the answer, and what it stands behind."""

    number: int
    parent: int | None
    kind: str
    path: str = ""
    answer: ReadAnswer | None = None
    data: bytes = b""
    kept_from: int | None = None
    before: dict[int, str] = field(default_factory=dict)
    """What the model had of the path when the answer was given."""


class Conversation(RuleBasedStateMachine):
    """Edits, reads of all sorts, compactions, navigation and drops over two files."""

    guarantee = "linear"
    boundary = "strict"

    @initialize()
    def begin(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.cache = ReadCache(self.folder.name)
        self.cache.open_session("s", self.guarantee, self.boundary)
        self.files = {path: "".join(f"{path} line {n}\n" for n in range(30)).encode() for path in PATHS}
        self.messages: dict[int, Message] = {}
        self.head: int | None = None
        self.served: dict[Mode, int] = {}

    def teardown(self) -> None:
        if hasattr(self, "folder"):
            self.folder.cleanup()

    @rule(path=st.sampled_from(PATHS), at=st.integers(0, 40), text=st.sampled_from(["x", "y\nz", ""]))
    def insert(self, path: str, at: int, text: str) -> None:
        lines = split(self.files[path].decode())
        lines[at:at] = [f"{text}\n"]
        self.files[path] = "".join(lines).encode()

    @rule(path=st.sampled_from(PATHS), at=st.integers(0, 40), end=st.booleans())
    def remove(self, path: str, at: int, end: bool) -> None:
        lines = split(self.files[path].decode())
        del lines[at : at + 2]
        text = "".join(lines)
        self.files[path] = (text.removesuffix("\n") if end else text).encode()

    @rule(path=st.sampled_from(PATHS), text=st.sampled_from(["", "one\n", "a\nb\nc"]))
    def rewrite(self, path: str, text: str) -> None:
        self.files[path] = text.encode()

    @rule(
        path=st.sampled_from(PATHS),
        lines=st.sampled_from([None, (1, 5), (3, 12), (10, 20), (10, None)]),
        most=st.sampled_from([1_000_000, 60, 5]),
        bypass=st.booleans(),
        again=st.booleans(),
    )
    def read(self, path: str, lines: tuple[int, int | None] | None, most: int, bypass: bool, again: bool) -> None:
        data = self.files[path]
        total = len(split(data.decode()))
        if lines is not None and lines[0] > total:
            return
        start, end = lines or (None, None)
        request = ReadRequest(start, end, "s", self.head, bypass=bypass and again, max_bytes=most)
        self._ask(path, request, data)

    @rule(path=st.sampled_from(PATHS), back=st.integers(1, 3))
    def revert(self, path: str, back: int) -> None:
        """An editor's undo: the file is again what some earlier answer was made from."""
        texts = [message.data for message in self.messages.values() if message.path == path]
        if texts:
            self.files[path] = texts[-min(back, len(texts))]

    @rule(
        path=st.sampled_from(PATHS),
        lines=st.sampled_from([None, (3, 12), (10, 20)]),
        edit=st.sampled_from([None, 1, 11, 25]),
        between=st.sampled_from(["", "compact", "navigate", "restart"]),
        back=st.integers(1, 3),
    )
    def look_again(self, path: str, lines: tuple[int, int] | None, edit: int | None, between: str, back: int) -> None:
        """What agents do all the time: read, read again, edit a line, read once more; and sometimes lose it between."""
        for turn in range(3):
            self.read(path, lines, 1_000_000, bypass=False, again=False)
            if turn == 1 and edit is not None:
                changed = split(self.files[path].decode())
                if edit < len(changed):
                    changed[edit] = f"edited {len(changed)} {changed[edit]}"
                    self.files[path] = "".join(changed).encode()
            if turn == 1 and between == "compact":
                self.compact(back)
            elif turn == 1 and between == "navigate":
                self.navigate(back)
            elif turn == 1 and between == "restart":
                self.restart()

    @rule(kept=st.integers(0, 8))
    def compact(self, kept: int) -> None:
        entry = None
        if self.boundary == "first_kept" and self.head is not None:
            branch = self._branch()
            entry = branch[max(0, len(branch) - kept)].number if kept and branch else None
        self._event("compaction", entry)

    @rule()
    def clear(self) -> None:
        self._event("clear", None)

    @rule(back=st.integers(1, 6))
    def navigate(self, back: int) -> None:
        branch = self._branch()
        if not branch:
            return
        target = branch[max(0, len(branch) - back)].number
        if self.guarantee == "tree":
            self.head = target
        else:
            self._event("navigate", target)

    @rule(back=st.integers(1, 6))
    def drop(self, back: int) -> None:
        branch = self._branch()
        if branch:
            self._event("drop", branch[max(0, len(branch) - back)].number)

    @rule(path=st.sampled_from(PATHS), scope=st.sampled_from(["full", "r:10:20", "r:1:5"]))
    def refresh(self, path: str, scope: str) -> None:
        data = self.files[path]
        lines = range_of(scope)
        if lines is not None and lines[0] > len(split(data.decode())):
            return
        start, end = lines or (None, None)
        request = ReadRequest(start, end, parent=self.head)
        told = self.cache.refresh("s", ReadSource("/root", path, data, hashlib.sha256(data).hexdigest()), request)
        assert told.entry is not None
        self._note(told.entry, "invalidate")

    @rule()
    def restart(self) -> None:
        self.cache = ReadCache(self.folder.name)

    def _ask(self, path: str, request: ReadRequest, data: bytes) -> None:
        source = ReadSource("/root", path, data, hashlib.sha256(data).hexdigest())
        answer = self.cache.read(request, source)
        self.served[answer.mode] = self.served.get(answer.mode, 0) + 1
        sheet = self._context().get(path, Sheet())
        before = dict(sheet.lines)
        # Whatever the answer claims must follow from the newest text of every line, and come to what is on the disk.
        sheet.take(answer, split(data.decode()))
        assert answer.entry is not None
        self._note(answer.entry, "read", path, answer, data)
        self.messages[answer.entry].before = before

    def _context(self) -> dict[str, Sheet]:
        """What the model has, by the texts that it was given on this branch and that nothing took away."""
        branch = self._branch()
        gone = {message.kept_from for message in branch if message.kind == "drop"}
        found: dict[str, Sheet] = {}
        for message in branch[self._start(branch) :]:
            answer = message.answer
            if answer is None or message.number in gone:
                continue
            sheet = found.setdefault(message.path, Sheet())
            if answer.mode is Mode.DIFF and sheet.lines != message.before:
                # Its new lines are there, what they replaced isn't: nobody knows what stands around them.
                found[message.path] = Sheet({0: "a part of a diff"})
            else:
                with contextlib.suppress(WrongError):
                    sheet.take(answer, split(message.data.decode()))
        return found

    def _start(self, branch: list[Message]) -> int:
        start = 0
        for at, message in enumerate(branch):
            if message.kind == "clear":
                start = at + 1
            elif message.kind == "compaction":
                kept = at + 1
                if self.boundary == "first_kept" and message.kept_from is not None:
                    kept = next((place for place in range(at) if branch[place].number == message.kept_from), at + 1)
                start = max(start, kept)
        return start

    def _branch(self) -> list[Message]:
        found = []
        at = self.head
        while at is not None:
            found.append(self.messages[at])
            at = self.messages[at].parent
        return found[::-1]

    def _event(self, kind: str, entry: int | None) -> None:
        told = self.cache.event("s", kind, entry=entry, parent=self.head)
        assert told.entry is not None
        if kind == "navigate":
            self.head = entry
        self._note(told.entry, kind, kept_from=entry)

    def _note(
        self,
        number: int,
        kind: str,
        path: str = "",
        answer: ReadAnswer | None = None,
        data: bytes = b"",
        kept_from: int | None = None,
    ) -> None:
        self.messages[number] = Message(number, self.head, kind, path, answer, data, kept_from)
        self.head = number


class KeepingConversation(Conversation):
    boundary = "first_kept"


class TreeConversation(Conversation):
    guarantee = "tree"


_SETTINGS = settings(max_examples=50, stateful_step_count=25)
TestLinear = pytest.mark.requirement("RC.1", "RC.2", "RC.5", "RC.8", "RC.20")(Conversation.TestCase)
TestLinear.settings = _SETTINGS
TestFirstKept = pytest.mark.requirement("RC.1", "RC.2")(KeepingConversation.TestCase)
TestFirstKept.settings = _SETTINGS
TestTree = pytest.mark.requirement("RC.1", "RC.5")(TreeConversation.TestCase)
TestTree.settings = _SETTINGS
