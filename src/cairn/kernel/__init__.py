"""The hot functions: of each a Python reference, its specification, and the native core where that is installed."""
