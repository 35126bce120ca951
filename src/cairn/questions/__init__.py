"""What surfaces share of the questions that one can ask, and of how their answers are told."""
