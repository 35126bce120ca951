"""Code of Java that has a `this` of its own."""

import re

OTHER_THIS = re.compile(r"\bnew\s+[\w.]+\s*(?:<[^;{}]*>)?\s*\([^;{}]*\)\s*\{")
