"""One file a language family: adding a language is adding a file with GRAMMARS in it."""
