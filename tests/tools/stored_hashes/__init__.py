"""Hashes of real programs, for the tests of `stored`: ``python -m tests.tools.stored_hashes``."""
