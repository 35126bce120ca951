"""Contexts: which files are understood together, by what manifests, and who answers for a file."""
