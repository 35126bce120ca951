"""Words of Java, and how some of its code looks."""

import re

OTHER_THIS = re.compile(r"\bnew\s+[\w.]+\s*(?:<[^;{}]*>)?\s*\([^;{}]*\)\s*\{")
