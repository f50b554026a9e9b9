"""Costs written in source code: rules as data, and one evaluator of constants.

Two engines read it. Python's own ``ast`` reads Python, so that ``check --app`` and ``emit`` know
the settings of Python applications without an extra. The grammars of tree-sitter, which the extra
``scan`` installs, read ten other languages. Both give expressions to the same evaluator, so that
an expression has one answer whoever asks.

Not here: whether a cost is still right (``checks/``).
"""
