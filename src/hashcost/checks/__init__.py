"""Whether a configured cost is still right: checks, audits, explanations, costs of files and code.

Not here: finding those costs (``apps``, ``source_code``, ``stored``) or the floors (``strength``).
"""
