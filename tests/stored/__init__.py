"""Stored hashes."""
