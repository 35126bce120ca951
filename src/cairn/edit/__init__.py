"""Edits of the user's files: each is proven, put to the user, or refused; all files are written, or none."""
