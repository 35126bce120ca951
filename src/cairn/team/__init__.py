"""One index for a team: a snapshot as one file or in parts at a remote, verified before it answers."""
