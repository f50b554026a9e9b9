"""What is generated and committed: the command reference, man pages, tables of the shipped data,
JSON schemas, screenshots and the output of examples. ``python -m tests.tools.generated --write``.
"""
