"""Words of JavaScript with a meaning of their own, and members that any value may have."""

import re

VALUES = frozenset({"true", "false", "null", "undefined", "this", "super"})
RESERVED = frozenset(
    (
        "enum package public private protected interface implements static yield let await eval arguments async of get "
        "set NaN Infinity constructor prototype default"
    ).split()
)
LASTING = ("with", "hoisted", "defaulted", "called_by_itself")
OTHER_THIS = re.compile(
    r"\b(?:function|static|class)\b|(?<![\w$])(?!(?:if|for|while|switch|catch|with)\b)[\w$\]]+\s*\([^()]*\)\s*\{"
)
_MEMBERS = (
    "add all allSettled any apply assign at bind call catch charAt charCodeAt clear concat create data "
    "defineProperty delete endsWith entries error every exec fill filter finally find findIndex flat flatMap "
    "forEach freeze from get getTime has hasOwnProperty includes indexOf info isArray join json keys lastIndexOf "
    "length log map match message name now of on off once emit padEnd padStart parse pop push race random reduce "
    "reduceRight reject removeListener repeat replace replaceAll resolve reverse round search set shift size "
    "slice some sort splice split startsWith status stringify substr substring test text then toFixed toISOString "
    "toJSON toLocaleString toLowerCase toString toUpperCase trim trimEnd trimStart type unshift url value valueOf "
    "values warn write end close open read"
)
MEMBERS = frozenset(_MEMBERS.split())
