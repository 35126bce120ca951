"""Whether a file is indexed, and if not, the one reason why.

The checks run in a fixed order, so every skip has exactly one reason on every machine. What a name
or a stat can tell is asked before the file is opened.
"""

from enum import StrEnum

from cairn.base.values import dataclass
from cairn.config.project import IndexSettings


class SkipReason(StrEnum):
    """Why a path is not indexed."""

    IGNORED = "ignored"
    BINARY = "binary"
    TOO_LARGE = "too_large"
    TOO_MANY_CHUNKS = "too_many_chunks"
    ENCODING = "encoding"
    OUT_OF_ROOT = "out_of_root"
    UNREADABLE = "unreadable"
    UNSUPPORTED = "unsupported"
    SECRET = "secret"  # noqa: S105
    SUBMODULE = "submodule"
    SYMLINK_LOOP = "symlink_loop"
    SPECIAL_FILE = "special_file"


@dataclass(frozen=True, slots=True)
class Skip:
    """A path that is not indexed; a folder's path ends in '/' and stands for all beneath it."""

    path: str
    reason: SkipReason
    detail: str = ""


_MEDIA_SUFFIXES = frozenset(
    """
    7z a aac aif aiff apk ar avi avif avro bmp bin blend bz2 cab class db db3 deb dll dmg doc docx dylib ear egg eot
    epub exe fbx feather ffs fla flac flv gif glb gz h5 hdf5 heic icns ico img iso jar jp2 jpeg jpg joblib ko lib lz4
    lzma m4a m4v mid mkv mov mp3 mp4 mpeg mpg msi nib npy npz o ods odt oga ogg ogv onnx opus otf parquet pb pch
    pdb pdf pickle pkl png ppt pptx psd pyc pyd pyo rar rlib rpm safetensors so sqlite sqlite3 swf tar tbz2
    tflite tgz tif tiff ttc ttf txz wasm wav webm webp whl wma wmv woff woff2 xcf xls xlsx xz zip zst
    """.split()
)


def is_media(name: str) -> bool:
    """Whether the name says that this is no text: pictures, sound, archives, compiled code, data files."""
    stem, _, suffix = name.rpartition(".")
    return stem != "" and suffix.lower() in _MEDIA_SUFFIXES


def largest_size(settings: IndexSettings) -> int:
    """The size above which a file is never read."""
    return min(settings.max_file_bytes, settings.max_chunks_per_file * settings.chunk_bytes)


def size_reason(size: int, settings: IndexSettings) -> SkipReason:
    """Why a file above the largest size is left out.

    A file that even full chunks would cut into more pieces than allowed is too long; within that
    size the chunker always finds a cut of at most `max_chunks_per_file` pieces, so eligibility
    never depends on how a language is parsed.
    """
    return SkipReason.TOO_LARGE if size > settings.max_file_bytes else SkipReason.TOO_MANY_CHUNKS


def eligible_content(data: bytes, settings: IndexSettings) -> bool:
    """Whether a file with these bytes may be indexed, by their number and by what they hold."""
    return len(data) <= largest_size(settings) and content_reason(data) is None


def content_reason(data: bytes) -> SkipReason | None:
    """Why a file's content can't be indexed; None if it is UTF-8 text."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return SkipReason.ENCODING
    if b"\0" in data:
        return SkipReason.BINARY
    if data.isascii():
        return None
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return SkipReason.ENCODING
    return None
