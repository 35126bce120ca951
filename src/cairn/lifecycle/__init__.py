"""The life of a codebase: whether it is indexed, by what proof, and what may be done with it now."""
