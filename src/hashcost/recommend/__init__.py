"""From a measurement and a target to the setting to use, here or in an application.

Not here: timing (``measure``), fitting (``fit``), floors (``worth``).
"""
