"""How a user goes on with an edit that asks: declared once for every edit, and for every door."""

from cairn.edit.source.values import CHOICES
from cairn.questions.parameters import Parameter

TAKE = Parameter("take", "string", f"{', '.join(CHOICES)}, with commas", metavar="CHOICE")
ONLY = Parameter("only", "strings", "only these places: FILE[:LINE[:COLUMN]]", metavar="PLACE")
EXCEPT = Parameter("except", "strings", "all but these places", metavar="PLACE")
DIFF = Parameter("diff", "boolean", "show a unified diff", default=False)
