"""Timing hashes."""
