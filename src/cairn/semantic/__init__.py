"""Compiler-grade facts from one-shot SCIP indexers: scopes, jobs, indexers, and what they wrote."""
