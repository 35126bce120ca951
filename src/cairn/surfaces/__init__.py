"""Ways to reach the engine."""
