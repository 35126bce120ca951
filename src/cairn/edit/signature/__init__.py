"""A function gets another signature, and every call gives what it asks for."""
