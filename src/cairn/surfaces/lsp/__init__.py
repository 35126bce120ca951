"""The language server: the questions, asked by an editor."""
