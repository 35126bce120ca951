"""The files that an edit reads and changes, as values: texts, trees, words, statements of import."""
