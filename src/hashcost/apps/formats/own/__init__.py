"""Files of one application only, read as no table can tell."""
