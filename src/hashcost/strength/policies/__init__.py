"""Floors that others have published, as data files with their source and date."""
