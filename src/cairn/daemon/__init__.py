"""The process that keeps codebases open: where it listens, whom it lets in, and what it watches."""
