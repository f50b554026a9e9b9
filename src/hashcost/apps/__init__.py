"""Applications: where each keeps its cost, what it accepts, and what it takes by default.

Facts are TOML in ``data``; Python is only for file formats. What to write is up to ``recommend``.
"""
