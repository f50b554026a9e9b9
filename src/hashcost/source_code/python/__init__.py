"""Python source, read as Python itself parses it."""
