"""Costs in source code: which files to read, what to look for, and what is written there."""
