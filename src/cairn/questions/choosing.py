"""How a user goes on with an edit that asks: declared once for every edit, and for every door."""

from cairn.edit.values import CHOICES
from cairn.questions.parameters import Parameter

TAKE = Parameter("take", "string", f"choices of {', '.join(CHOICES)}, with commas", metavar="CHOICE")
ONLY = Parameter("only", "strings", "change only these places: FILE, FILE:LINE or FILE:LINE:COLUMN", metavar="PLACE")
EXCEPT = Parameter("except", "strings", "change all but these places", metavar="PLACE")
DIFF = Parameter("diff", "boolean", "show it as a unified diff; nothing is written", default=False)
CHOOSING = (TAKE, ONLY, EXCEPT, DIFF)
