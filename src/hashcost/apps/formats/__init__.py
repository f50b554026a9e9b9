"""How the files of applications are read: the formats that a table ``read`` may name.

Each module has a ``Format``; what only one application needs is in ``own``.
"""
