"""Applications: where each keeps its cost, what it accepts, and its default.

Facts are TOML in ``data``; Python is only for file formats. What to write is up to ``recommend``.
"""
