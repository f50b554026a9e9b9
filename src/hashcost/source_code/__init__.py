"""Costs written in source code: rules as data, two engines, and one evaluator of constants.

Python's own parser reads Python without an extra, as ``check --app`` needs it; grammars read
ten other languages. Not here: whether a cost is still right (``checks/``).
"""
