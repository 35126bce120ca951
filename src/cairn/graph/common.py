"""Members that every value of a language has: a call of one says nothing about who defines the name."""

from functools import cache

_JAVASCRIPT = (
    "add all allSettled any apply assign at bind call catch charAt charCodeAt clear concat create data "
    "defineProperty delete endsWith entries error every exec fill filter finally find findIndex flat flatMap "
    "forEach freeze from get getTime has hasOwnProperty includes indexOf info isArray join json keys lastIndexOf "
    "length log map match message name now of on off once emit padEnd padStart parse pop push race random reduce "
    "reduceRight reject removeListener repeat replace replaceAll resolve reverse round search set shift size "
    "slice some sort splice split startsWith status stringify substr substring test text then toFixed toISOString "
    "toJSON toLocaleString toLowerCase toString toUpperCase trim trimEnd trimStart type unshift url value valueOf "
    "values warn write end close open read"
)
_JAVA = (
    "add addAll append apply charAt clear close compareTo contains containsKey entrySet equals filter find first "
    "forEach format get getClass getKey getName getOrDefault getValue hashCode hasNext indexOf isEmpty iterator "
    "join keySet last length let map matches name next of open ordinal parse put putAll print println read remove "
    "replace run set size sort split start stream stop substring test toList toString trim use valueOf values "
    "write"
)
_STREAMS = (
    "acquire close commit connect debug end error exception execute fetchall fileno flush get group groups info log "
    "match put read readline readlines recv release run seek send span start tell warning write writelines"
)
_OTHERS = (
    "add all any append as_mut as_ref as_str at begin clear clone close cmp collect contains copy count data "
    "default deref drop each each_with_index empty end eq err error expect extend filter find first flush fmt "
    "format from get hash insert inspect into is_empty is_none is_some iter join keys last len length lines lock "
    "map max merge min name new next nil? ok open parse pop print printf push push_back read remove replace reset "
    "resize run select send size sleep sort split start stop str string sub sum swap take to_a to_h to_i to_s "
    "to_string to_sym trim unlock unwrap update values write"
)


@cache
def common_members(language: str) -> frozenset[str]:
    """Names of members that a value of any type may well have."""
    if language == "python":
        kinds = (
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
        return frozenset(name for kind in kinds for name in dir(kind)) | frozenset(_STREAMS.split())
    if language in ("javascript", "typescript", "tsx"):
        return frozenset(_JAVASCRIPT.split())
    if language in ("java", "kotlin", "scala", "csharp", "dart", "swift"):
        return frozenset(_JAVA.split())
    return frozenset(_OTHERS.split())
