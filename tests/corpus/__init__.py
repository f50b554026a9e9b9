"""Source code whose true costs were worked out by hand, and how a scan does on it."""
