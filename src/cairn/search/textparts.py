"""The parts of a long text: its lines, the role of each, and the places that frames of tracebacks name.

Everything here takes steps in proportion to the text: lines are bounded, and no expression runs over several lines.
"""

from collections.abc import Iterator, Mapping, Sequence
from enum import Enum

from cairn.base import lazy
from cairn.base.values import dataclass, replace

_LONG_WORDS = 40
_LONG_LINES = 4
_MOST_LINE_CHARS = 1_000
"""Longer lines are read in pieces, since expressions would take long over them."""
_MOST_WORD_CHARS = 200
"""Nobody writes longer words: they are data."""


class PartRole(Enum):
    """What a part of a text is."""

    TITLE = "title"
    PROSE = "prose"
    CODE = "code"
    FRAME = "frame"
    ERROR = "error"
    NOISE = "noise"


@dataclass(frozen=True, slots=True)
class TextPart:
    """A line and its role; of a frame, the file that it names, the function and the type that it is of."""

    role: PartRole
    text: str
    path: str = ""
    function: str = ""
    owner: str = ""


_FENCE = lazy.expression(r"\s*(`{3,}|~{3,})\s*([^`]*)$")
_PLACE = r"(?:[a-z-]+://(?:[^\s/:]*(?::\d+)?/)?)?(?P<path>(?:[A-Za-z]:[\\/])?[\w.~@…\\/+-]*[\w-]\.[A-Za-z]\w{0,5})"
_FRAMES = (
    # Python; then as IPython writes it.
    lazy.expression(r'\s*(?:\S+\s+){0,2}?File "(?P<path>[^"]+)", line \d+(?:, in (?P<function>[\w.]+|<[^>]*>))?'),
    lazy.expression(rf"\s*(?:File )?{_PLACE}(?::\d+,|(?<=\.py)|(?<=\.pyc)) in (?P<function>[\w<>.]+)(?:\(.*|(?<=>))$"),
    # Java and its like, C#, JavaScript, PHP.
    lazy.expression(r"\s*at (?P<function>[\w$.<>/@-]+)\((?P<path>\w+\.[a-z]+):\d+\).*"),
    lazy.expression(r"\s*at (?P<function>[^\s(]+)\(.*\) in (?P<path>.+):line \d+"),
    lazy.expression(rf"\s*at (?:async |new )?(?P<function>[\w$.<>#]+) (?:\[as \w+\] )?\({_PLACE}:\d+(?::\d+)?\)"),
    lazy.expression(r"\s*#\d+ (?P<path>\S.*?\.php)\(\d+\): (?P<function>[^\s(]+)\(.*"),
    # Rust's panics; then Ruby, pytest and all others, with what was said there behind it.
    lazy.expression(rf".*\bpanicked at (?:'.*', )?{_PLACE}:\d+(?::\d+)?"),
    lazy.expression(
        rf"[\s>|*-]{{0,40}}(?:(?:at|from|in) (?:async )?)?{_PLACE}:\d+(?::\d+)*"
        r"(?::? ?\bin (?P<function>[`'][^`']+['`]|[\w<>]+$))?"
    ),
)
_ABOVE = lazy.expression(
    r"\s*(?:\d+:\s+(?:0x\w+ - )?)?(?:<.*>)?\S*?(?:\.|::)(?P<function>[^\W\d]\w*)(?:::h\w{16})?(?:\(.*\))?$"
)
"""The line above a frame of Go or Rust: the function."""
_NAME = lazy.expression(r"[^\W\d]\w*[!?]?")
_LETTERED = lazy.expression(r"[^\W_]+")
_LETTERS = lazy.expression(r"[^\W\d_]{3}")
_ERROR = lazy.expression(
    r"\s*(?:E\s+|Caused by:\s*|(?:\w+ )*Uncaught\s+|Exception in thread \S+\s+|[A-Za-z_.]*:\s*)?"
    r"(?:[\w.\\]*(?:Error|Exception|Warning|Failure|Panic)\b(?::|\s|$)"
    r"|(?i:error|panic|fatal|fatal error)(?:\[\w+\])?:\s)"
)
_CODE_LINE = lazy.expression(
    r"""(?x)\s*(?:
    >>> | \.\.\.\s | \$\  | In\ \[\d+\] | Out\[\d+\] | \#include\b
    | (?:async\ )?def\ \w+\( | class\ \w+\s*[(:{<] | class\ \w+$ | @[\w.]+(?:\(.*)?$
    | import\ [\w.]+(?:\ as\ \w+)?(?:,\s*[\w.]+(?:\ as\ \w+)?)*\s*;?$ | import\ .*from\ ["'`]
    | from\ [\w.]+\ import\ (?:\(|\*|\w+(?:\ as\ \w+)?(?:,\s*\w+(?:\ as\ \w+)?)*,?)\s*(?:\#.*)?\\?$
    | return(?:\ \S+)?$ | return\ .*[()\[\]=+*/{]
    | (?:el)?if\ (?=.*:$)(?:.*[()\[\]=<>.]|\S+(?:\ \S+)?:$) | for\ [\w,\ ()]+\ in\ \S.*:$
    | [\w.\[\]'"]+\s*=\s*\S | [\w.]+\(.*\)\s*$ | .*[;{}]\s*$
    )"""
)
_PLATFORM = (
    r"(?:linux|windows|win32|win64|darwin|mac ?os\w*|os ?x|ubuntu|debian|fedora|centos|\w{0,4}bsd|posix|"
    r"x86\w*|amd64|arm\w*|aarch64|i\d86|intel\w*)\b\S*(?:\s+(?=(?-i:[A-Z(])|\S*\d)\S+)*$"
)
_KEY = r"[-*\s]{0,9}"
_IS = r"\**\s*[:|]\**\s*"
_NOISE = lazy.expression(
    r"(?i)(?:(?:- )?\[[ x]\]|[=_-]{5,}|---$|collected \d+ item|platform \S+ -- |plugins: [\w-]+-\d"
    r"|(?:rootdir|cachedir|inifile|configfile|executable)\s*[:=]\s*\S+(?:, \S+ \S+)?$"
    r"|(?:many )?thank(?:s| you)\b(?! to\b)[!.,]*(?:\s+\S+){0,5}$"
    r"|traceback \(most recent|during handling of the above|the above exception was|stack backtrace:|goroutine \d+ \["
    r"|(?:[\w.-]+(?:\s+|==))?v?\d+(?:\.\d+)+\S*$"
    # A key whose value is a version, a platform, a locale, a commit or nothing.
    rf"|{_KEY}[\w .-]{{1,40}}{_IS}(?:v?\d+(?:\.\d+)+\S*(?:\s*[\[(|].*)?|none|n/?a|[a-z]{{2}}_[a-z]{{2}}\b\S*)$"
    rf"|{_KEY}[\w ]{{0,40}}(?:release|version|bits){_IS}v?\d+\S*$"
    rf"|{_KEY}(?:os(?:[- ]release)?|platform|processor|machine|operating system|system){_IS}(?:$|\d+$|{_PLATFORM})"
    rf"|{_KEY}(?:byteorder{_IS}\w+|(?:lc_all|lang|locale){_IS}(?:\(.*\)|[a-z]{{2}}|\w+\.[\w-]+)|(?:commit|revision){_IS}[\da-f]{{7,40}})$)"
)
_HEADING = lazy.expression(r"\s*(?:##+\s|\*\*.*\*\*:?$)")
_MARKED = lazy.expression(r"\s*#+\s|\s*\*\*.*\*\*:?$|.*:$")
_TEMPLATE_WORDS = frozenset(
    "a about actual additional and any are asking been before behavior behaviour briefly bug bugs can check checklist "
    "checks current currently describe description desired detailed details did do does environment example expect "
    "expected following for happen happened happens have how i id idea is issue issues it like mcve minimal "
    "motivation my new of operating or os other outcome please prerequisites problem propose proposed question "
    "rationale report reported reporting reproduce reproducer reproducible reproducing reproduction s screenshots see "
    "should solution steps submit such suggested summary the this to upon use using version versions want was we were "
    "what which will with you your".split()
)
"""What the headings of templates are made of; other words are only taken for such where the line is marked as one."""
_HEADING_WORDS = _TEMPLATE_WORDS.union(
    "code command configuration context contributing error feature fix fixed impact info information installed log "
    "logs message output platform pull related relevant request requests results sample search searching system "
    "template test tracebacks type".split()
)
_FRONT = lazy.expression(r"[\w-]+:|[\s-]|$")
_TAG = lazy.expression(
    r"</?(?:div|sup|sub|details|summary|br|p|pre|code|b|i|em|strong|a|img|hr|table|tr|td|th)\b[^>]*>"
)


def is_long(text: str) -> bool:
    """Whether a text is read by its parts: it has several lines, or more words than a question has."""
    return len(text.split()) >= _LONG_WORDS or len(text.strip().splitlines()) >= _LONG_LINES


def parts_of(text: str) -> list[TextPart]:
    """The parts of a text, line by line; one of them, the first that says something, is the title."""
    parts = [*_parts_of([*_lines(_without_comments(text))])]
    said = [number for number, part in enumerate(parts) if part.role is not PartRole.FRAME]
    first = text.lstrip()[:_MOST_LINE_CHARS]
    title = next((number for number in said if _is_title(parts[number], first)), min(said, default=None))
    return [replace(part, role=PartRole.TITLE) if number == title else part for number, part in enumerate(parts)]


def _is_title(part: TextPart, first: str) -> bool:
    """Whether a line may be a title: nothing of a template, and code only where the text begins with it."""
    if part.role is PartRole.NOISE or (part.role is PartRole.CODE and not first.startswith(part.text.strip())):
        return False
    if not _HEADING.match(part.text):
        return True
    return not part.text.rstrip("*: \t").endswith("?") and _template_share(part.text) <= 0.5


def _parts_of(lines: Sequence[str]) -> Iterator[TextPart]:
    fences = [_FENCE.match(line) for line in lines]
    closed = _closed([(fence[1], not fence[2].strip()) if fence else None for fence in fences])
    front = _front_matter(lines)
    opened, above = "", ""
    for number, (line, fence) in enumerate(zip(lines, fences, strict=True)):
        if number < front:
            yield TextPart(PartRole.NOISE, line)
        elif fence is not None and opened in ("", fence[1]):
            opened = fence[1] if not opened and closed[number] else ""
        elif line.strip():
            yield from _parts(line, _TAG.sub(" ", line), above, bool(opened))
        above = line


def _closed(fences: Sequence[tuple[str, bool] | None]) -> list[bool]:
    """Which fences are closed by the next one of their own kind; others open nothing."""
    bare: dict[str, bool] = {}
    found = []
    for fence in reversed(fences):
        found.append(fence is not None and bare.get(fence[0], False))
        if fence is not None:
            bare[fence[0]] = fence[1]
    return found[::-1]


def _front_matter(lines: Sequence[str]) -> int:
    """How many lines at the head stand between two rules and only hold keys and values."""
    if not lines or lines[0].strip() != "---":
        return 0
    for number, line in enumerate(lines[1:], 1):
        if line.strip() == "---":
            return number + 1
        if not _FRONT.match(line):
            break
    return 0


def _without_comments(text: str) -> str:
    kept = []
    start = 0
    while (opened := text.find("<!--", start)) >= 0 and (closed := text.find("-->", opened + 4)) >= 0:
        kept += [text[start:opened], "\n"]
        start = closed + 3
    return "".join((*kept, text[start:]))


def _lines(text: str) -> Iterator[str]:
    """Its lines; a very long one in pieces of whole words."""
    for line in text.splitlines():
        if len(line) <= _MOST_LINE_CHARS:
            yield line
            continue
        piece = ""
        for word in line.split():
            if len(word) > _MOST_WORD_CHARS:
                continue
            if len(piece) + len(word) >= _MOST_LINE_CHARS:
                yield piece
                piece = ""
            piece += f" {word}" if piece else word
        yield piece


def _parts(line: str, bare: str, above: str, fenced: bool) -> Iterator[TextPart]:
    """A line as a part; of a frame, what was said there is one of its own."""
    for frame in (form.match(line) for form in _FRAMES):
        if frame is not None:
            named: Mapping[str, str | None] = frame.groupdict()
            path, function = frame["path"], named.get("function") or ""
            if not function and path.endswith((".go", ".rs")) and (over := _ABOVE.match(above)):
                function = over["function"]
            yield _frame(frame[0], path, function)
            rest = line[frame.end() :].strip(" :\t")
            if _LETTERS.search(rest):
                yield TextPart(PartRole.ERROR, rest)
            return
    yield TextPart(_role(line, bare, fenced), line if fenced else bare)


def _frame(text: str, path: str, function: str) -> TextPart:
    named = function.strip("`'").rpartition(" ")[2]
    if path.endswith((".java", ".kt", ".scala", ".groovy")) and "/" not in path:
        # Their frames name the package beside the function, and not the folder.
        path = "/".join((*named.rpartition("/")[2].split(".")[:-2], path))
    *before, last = ["", *_NAME.findall(named)] if not named.endswith(">") else [""]
    owner = before[-1] if before else ""
    return TextPart(PartRole.FRAME, text, path, last, owner if owner[:1].isupper() else "")


def _role(line: str, bare: str, fenced: bool) -> PartRole:
    stripped = bare.strip()
    if _NOISE.match(stripped) or (not fenced and _template_share(stripped) == 1):
        return PartRole.NOISE
    if is_error(line):
        return PartRole.ERROR
    if fenced or line.startswith(("    ", "\t")) or _CODE_LINE.match(line):
        return PartRole.CODE
    return PartRole.PROSE


def _template_share(line: str) -> float:
    """How many of a line's words are such as headings of templates are made of."""
    words = _LETTERED.findall(line.lower())
    known = _HEADING_WORDS if _MARKED.match(line) else _TEMPLATE_WORDS
    return sum(word in known for word in words) / max(len(words), 1)


def is_error(line: str) -> bool:
    """Whether a line is what an error says."""
    return _ERROR.match(line) is not None
