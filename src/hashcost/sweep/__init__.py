"""Time against cost: many costs of several hashers in one run.

Not here: the engine that times hashes (``measure``).
"""
