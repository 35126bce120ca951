"""Every question that only a page asks: its address, its parameters, and who answers it."""

from cairn.questions.fields import answered_by, schema_of
from cairn.questions.parameters import Parameter
from cairn.surfaces.http import about, files, looks, reviewing
from cairn.surfaces.http.endpoints import ROOT
from cairn.surfaces.http.finding import QuickFinder
from cairn.surfaces.http.hovers import hover
from cairn.surfaces.http.served import Look

FILE = Parameter("file", "string", "a file of the codebase, from its root on", required=True)
_LINE = Parameter("line", "integer", "the line that is pointed at", required=True, least=1)
_COLUMN = Parameter("column", "integer", "the byte of the line that is pointed at", required=True, least=1)
_VERSION = Parameter("version", "string", "the version of the text that is shown: another one is not told about")
_SYNC = Parameter("sync", "boolean", "bring the snapshot up to the file first, where it differs", False)
_BYTES = Parameter("most", "integer", "how many bytes of its text", files.MOST_TEXT_BYTES, least=1)
_FIRST = Parameter("first", "integer", "the first line", 1, least=1)
_LAST = Parameter("last", "integer", "the last line; without it, that of the file", least=1)
_PLACES = Parameter("places", "strings", "lines of files, each as PATH:FIRST-LAST", required=True)
_SINCE = Parameter("since", "string", "the revision to compare with; without it, the last commit")
_KEPT = Parameter("limit", "integer", "how many", 100, least=1, most=1_000)
_TYPED = Parameter("typed", "string", "what was typed of it", required=True, http="q")
_OFFERED = Parameter("limit", "integer", "how many", 50, least=1, most=1_000)
_FOLDER = Parameter("folder", "string", "a folder, from the root on; without it, the root")
_LEFT_OUT = Parameter("left_out", "boolean", "those that the index leaves out, each with the reason, instead", False)
_SOME_ROOT = Parameter("root", "string", "only this codebase")


LOOKS = (
    Look(
        "/v1/codebases",
        "Every codebase and its state.",
        (),
        lambda d, _: looks.codebases(d.house, d.watched()),
        schema_of(answered_by(looks.codebases)),
    ),
    Look(
        "/v1/file",
        "A file's text as it is now, and whether the snapshot knows it so.",
        (FILE, ROOT, _BYTES),
        lambda d, given: files.file(d.house, given["root"], given["file"], given.get("most", files.MOST_TEXT_BYTES)),
        schema_of(answered_by(files.file)),
    ),
    Look(
        "/v1/file/standing",
        "How a file stands now to the snapshot, without its text.",
        (FILE, ROOT, _SYNC),
        lambda d, given: files.file_standing(d.house, given["root"], given["file"], bool(given.get("sync"))),
        schema_of(answered_by(files.file_standing)),
    ),
    Look(
        "/v1/file/colours",
        "What the pieces of a file's text are, by its grammar: four numbers each, for lines since the piece before, "
        "where it starts (from the start of the piece before where that is of its line), its length, its kind.",
        (FILE, ROOT, _FIRST, _LAST),
        lambda d, given: files.colours(
            d.house, d.colourist, given["root"], given["file"], given.get("first", 1), given.get("last")
        ),
        schema_of(answered_by(files.colours)),
    ),
    Look(
        "/v1/colours",
        "The same for some lines of several files, with the lines.",
        (_PLACES, ROOT),
        lambda d, given: files.excerpts(d.house, d.colourist, given["root"], given["places"]),
        schema_of(answered_by(files.excerpts)),
    ),
    Look(
        "/v1/file/blame",
        "The last change of each line of a file as it is now: runs of first line, number of lines, and which commit.",
        (FILE, ROOT),
        lambda d, given: files.blamed(d.house, given["root"], given["file"]),
        schema_of(answered_by(files.blamed)),
    ),
    Look(
        "/v1/file/changed",
        "Which lines of a file a revision doesn't have so, and after which ones it has others.",
        (FILE, ROOT, _SINCE),
        lambda d, given: files.changed_lines(d.house, given["root"], given["file"], given.get("since")),
        schema_of(answered_by(files.changed_lines)),
    ),
    Look(
        "/v1/hover",
        "The definition of what is named at a place, and what is said of it.",
        (FILE, ROOT, _LINE, _COLUMN, _VERSION),
        lambda d, given: hover(
            d.house, given["root"], given["file"], (given["line"], given["column"]), given.get("version")
        ),
        schema_of(answered_by(hover)),
    ),
    Look(
        "/v1/base",
        "What a change is held against when nobody names it: where the branch began, else the last commit.",
        (ROOT,),
        lambda d, given: reviewing.base(d.house, given["root"]),
        schema_of(answered_by(reviewing.base)),
    ),
    Look(
        "/v1/diff",
        "The files that differ from a revision; with `file`, the lines of those.",
        (ROOT, *reviewing.PARAMETERS),
        lambda d, given: reviewing.diff(d.house, given),
        schema_of(answered_by(reviewing.diff)),
    ),
    Look(
        "/v1/names",
        "Definitions whose names are like what was typed, the best first.",
        (_TYPED, ROOT, _OFFERED),
        lambda d, given: d.finder.names(d.house, given["root"], given["typed"], given.get("limit", 50)),
        schema_of(answered_by(QuickFinder.names)),
    ),
    Look(
        "/v1/paths",
        "Files whose paths are like what was typed, the best first.",
        (_TYPED, ROOT, _OFFERED, _LEFT_OUT),
        lambda d, given: d.finder.paths(
            d.house, given["root"], given["typed"], given.get("limit", 50), left_out=bool(given.get("left_out"))
        ),
        schema_of(answered_by(QuickFinder.paths)),
    ),
    Look(
        "/v1/tree",
        "What a folder of the snapshot holds.",
        (_FOLDER, ROOT, _LEFT_OUT),
        lambda d, given: d.finder.tree(
            d.house, given["root"], given.get("folder", ""), left_out=bool(given.get("left_out"))
        ),
        schema_of(answered_by(QuickFinder.tree)),
    ),
    Look(
        "/v1/snapshots",
        "Snapshots that are kept, the newest first.",
        (ROOT, _KEPT),
        lambda d, given: looks.snapshots(d.house, given["root"], given.get("limit", 100)),
        schema_of(answered_by(looks.snapshots)),
    ),
    Look(
        "/v1/reads",
        "What cached reads have saved.",
        (_SOME_ROOT,),
        lambda d, given: looks.reads(d.house, given.get("root")),
        schema_of(answered_by(looks.reads)),
    ),
    *about.LOOKS,
)
