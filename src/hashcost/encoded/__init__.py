"""Stored hash strings: from a string to its format, its hasher and its cost."""
