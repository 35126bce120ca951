"""The tree as it is: its root, its files, what they hold and what changed."""
