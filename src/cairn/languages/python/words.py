"""Members of Python's own types, and of its streams."""

_KINDS = (
    str,
    bytes,
    dict,
    list,
    set,
    tuple,
    int,
    float,
    complex,
    object,
    Exception,
    slice,
    range,
    memoryview,
    type,
)
_STREAMS = (
    "acquire close commit connect debug end error exception execute fetchall fileno flush get group groups info log "
    "match put read readline readlines recv release run seek send span start tell warning write writelines"
)
MEMBERS = frozenset(name for kind in _KINDS for name in dir(kind)) | frozenset(_STREAMS.split())
