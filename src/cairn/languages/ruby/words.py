"""Functions of Ruby's kernel, and how it writes methods of classes themselves."""

import re

CLASS_SIDE = re.compile(r"(?:\w+\s+)*def\s+[\w:]+\s*\.")
MIXED_SIDES = re.compile(r"\bclass\s*<<|\bmodule_function\b|\bextend\b|\bdefine_singleton_method\b")
BUILTINS = frozenset(
    (
        "abort at_exit attr_accessor attr_reader attr_writer binding block_given? catch exit extend fail "
        "format gets include lambda load loop p print printf private proc protected public puts raise rand "
        "require require_relative sleep sprintf system test throw warn"
    ).split()
)
