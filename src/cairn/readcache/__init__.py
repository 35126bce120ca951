"""Reads that answer "unchanged" or a diff, and are never wrong about what the model still has in its context."""
