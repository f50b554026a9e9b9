"""Runs one hash in this process: a file per algorithm family; packages add others by entry points.

Not here: timing it (``measure``).
"""
