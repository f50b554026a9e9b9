"""Python files: calls, names and values in them."""
