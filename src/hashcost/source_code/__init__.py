"""Costs written in source code: the rules are data, and one evaluator works out constants.

``python/`` needs no extra, as ``check --app`` reads Python, too; ``parsed/`` reads ten other
languages by grammars. Not here: whether a cost is still right (``checks/``).
"""
