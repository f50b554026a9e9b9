"""A file per output format: from a document to text.

A format knows documents, not their subjects.
"""
