"""Functions of PHP's library, and code that has a `this` of its own."""

import re

OTHER_THIS = re.compile(r"\bnew\s+class\b")
BUILTINS = frozenset(
    (
        "array_filter array_keys array_map array_merge count define defined empty explode file_get_contents "
        "function_exists implode in_array is_array is_string isset json_decode json_encode preg_match "
        "preg_replace printf sprintf str_replace strlen strpos strtolower substr trim unset"
    ).split()
)
