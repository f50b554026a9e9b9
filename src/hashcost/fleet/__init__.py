"""Many hosts, measured a few at a time: which they are, how each is reached, what became of it.

One host is measured by a run of the command of its own; comparing them is `compare`'s.
"""
