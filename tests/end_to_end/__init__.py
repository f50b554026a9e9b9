"""The installed command, run as users run it."""
