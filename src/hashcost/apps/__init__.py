"""Applications: how each configures the cost of its hashes, read and written."""
