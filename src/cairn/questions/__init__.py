"""Every question once: its parameters, how it is asked, and what its answer holds."""
