"""The program: where the surfaces, the daemon and the commands are put together."""
