"""Broken inputs for every reader: ``python -m tests.tools.fuzz`` (see CONTRIBUTING)."""
