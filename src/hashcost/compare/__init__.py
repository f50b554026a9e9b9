"""Machines side by side: how fast each is, why, and one cost for all of them.

Not here: how it is shown (``render``).
"""
