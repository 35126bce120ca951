"""Edits of the user's files: proven right, asked about, or refused; all of them or none."""
