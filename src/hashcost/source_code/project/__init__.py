"""The scanned project around a file: which file a name comes from, which versions it uses."""
