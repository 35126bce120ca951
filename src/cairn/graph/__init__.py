"""What is defined where, used where, called by whom and imported by whom, over one view."""
