"""Costs written in source code: rules as data, and one evaluator of constants.

Not here: whether a cost is still right (``checks/``).
"""
