"""Is a configured cost still right? Checks, audits, explanations, costs of files and of code.

Not here: finding those costs (``apps``, ``source_code``, ``stored``) or the floors (``worth``).
"""
