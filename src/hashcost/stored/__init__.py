"""Stored hashes: their formats, and where they come from (files, columns, databases).

Not here: their worth (``checks/audit.py``).
"""
