"""A definition goes to another module, and everybody takes it from there."""
