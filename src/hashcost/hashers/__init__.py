"""Runs one hash in this process: a file per algorithm family, found through entry points.

Not here: timing it (``measure``).
"""
