"""Broken inputs for every reader: ``python -m tests.fuzz`` (see CONTRIBUTING)."""
