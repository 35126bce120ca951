"""Words of Swift, and how some of its code looks."""

BUILTINS = frozenset("abs assert fatalError max min precondition print type zip".split())
