"""Time against cost: many costs of several hashers in one run, and tables published elsewhere.

Not here: the engine that times hashes (``measure``).
"""
