"""What the commands print about one small repository, kept, so that a change of it is seen and meant."""
