"""Indexes in the SCIP format: read as a stream, checked, and turned into values."""
