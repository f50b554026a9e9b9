"""Machines side by side, by what was measured on each."""
