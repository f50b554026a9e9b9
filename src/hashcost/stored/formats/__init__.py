"""A file per family of stored hashes: from a string to its hasher and its cost.

Nothing here knows files or databases.
"""
