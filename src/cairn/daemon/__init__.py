"""The process that keeps codebases open: its socket, its admission of requests, and its watchers."""
