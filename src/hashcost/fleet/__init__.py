"""Many hosts, measured a few at a time: their names, the way to each, and the outcome.

Each host is measured by its own run of the command; `compare` compares them.
"""
