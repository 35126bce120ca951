"""Settings: those of a project, in `.cairn.toml`, and the user's own."""
