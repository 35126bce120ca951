"""Functions of Swift's library."""

BUILTINS = frozenset("abs assert fatalError max min precondition print type zip".split())
