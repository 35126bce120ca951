"""Versions of what indexing makes of a text: equal ones make equal rows, terms and vectors.

All are parts of the index fingerprint. They stand by themselves because every command needs the
fingerprint, and few need what it is about.
"""

CHUNKER_VERSION = "defs-1"
TOKENS_VERSION = "stems-1"
VECTOR_RECIPE = "enriched-1"
FACTS_VERSION = "facts-11"
"""Symbols, imports and calls; 2: receivers of chains over lines, spread calls, PHP's built paths; 3: namespaces of
PHP before the names of calls; 4: every place of every name; 5: words that are keys and variables; 6: trees, and which
names are bare; 7: how values flow, and chains
that names are asked of; 8: words in bodies of macros, fields of Go, parameters of closures;
11: signatures without a name behind a line that nothing ends."""
