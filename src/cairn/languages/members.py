"""Members that values of many types have, in several languages."""

_OTHERS = (
    "add all any append as_mut as_ref as_str at begin clear clone close cmp collect contains copy count data "
    "default deref drop each each_with_index empty end eq err error expect extend filter find first flush fmt "
    "format from get hash insert inspect into is_empty is_none is_some iter join keys last len length lines lock "
    "map max merge min name new next nil? ok open parse pop print printf push push_back read remove replace reset "
    "resize run select send size sleep sort split start stop str string sub sum swap take to_a to_h to_i to_s "
    "to_string to_sym trim unlock unwrap update values write"
)
_OBJECTS = (
    "add addAll append apply charAt clear close compareTo contains containsKey entrySet equals filter find first "
    "forEach format get getClass getKey getName getOrDefault getValue hashCode hasNext indexOf isEmpty iterator "
    "join keySet last length let map matches name next of open ordinal parse put putAll print println read remove "
    "replace run set size sort split start stream stop substring test toList toString trim use valueOf values "
    "write"
)

MEMBERS = frozenset(_OTHERS.split())
OBJECT_MEMBERS = frozenset(_OBJECTS.split())
"""In languages whose libraries are like Java's."""
