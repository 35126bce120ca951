"""Measurements, as ratios to other tools in one run."""
