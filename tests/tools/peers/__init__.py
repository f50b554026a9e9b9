"""`calibrate` beside real calibrators: ``python -m tests.tools.peers install|measure|write``.

`peers.toml` says how each is installed, asked and read, and what times its hash.
"""
