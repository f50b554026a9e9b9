"""Turns a measurement and a target into the setting to use, here or in an application.

Not here: timing (``measure``), fitting (``fit``), floors (``strength``).
"""
