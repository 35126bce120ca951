"""Compiler-grade facts and how far they can be trusted."""
