"""The `cairn` command: its commands, and what they print."""
