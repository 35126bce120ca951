"""Compiler-grade facts: which files belong together, how far facts can be trusted, and the jobs that refresh them."""
