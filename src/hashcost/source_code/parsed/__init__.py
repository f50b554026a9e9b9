"""Files of the languages that ast-grep parses: calls, names and values in them."""
