"""Wiring coding agents up: what their settings look like, editing them, undoing it, and checking the machine."""
