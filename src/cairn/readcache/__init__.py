"""Reads that say "unchanged" or show a diff, and are never wrong about what the model still has before it."""
