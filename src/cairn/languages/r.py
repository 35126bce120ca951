"""R, which Cairn has no grammar for."""

from cairn.languages.record import Customs, Language

_BUILTINS = frozenset(
    "c cat list length print paste paste0 stop warning lapply sapply function names is.null return".split()
)

LANGUAGE = Language(name="r", customs=Customs(any_file=True, builtins=_BUILTINS))
