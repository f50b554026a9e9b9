"""The shared vocabulary: values, units, errors, cost expressions.

It makes no decisions, imports only msgspec, and reads only the package's own data.
"""
