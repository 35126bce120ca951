"""How long the long forms of tests take: some minutes in all with `CAIRN_LONG=1`, ten times that with 10."""

import os

LONG = int(os.environ.get("CAIRN_LONG") or 0)
"""A factor, or 0 for the short forms."""
