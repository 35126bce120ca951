"""The web page, and the routes that serve it."""
