"""The shared vocabulary: values, units, errors, cost expressions.

It does no I/O, makes no decisions and imports only msgspec.
"""
