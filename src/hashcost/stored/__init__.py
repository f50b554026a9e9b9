"""Stored hashes: their formats, and where they come from (files, columns, databases).

Not here: what they are worth (``verdicts/audit.py``).
"""
