"""One process a home that keeps codebases open, watches them and answers over a socket."""
