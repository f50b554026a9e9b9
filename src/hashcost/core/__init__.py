"""The words that everybody speaks: values, units, errors, cost expressions.

No I/O, no library but msgspec, and nothing that decides.
"""
