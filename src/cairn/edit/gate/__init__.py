"""The gate of every edit: each place of a name is accounted for, and what reads names at run time is asked about."""
