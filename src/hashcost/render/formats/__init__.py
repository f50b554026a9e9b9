"""A file per output format: from a document to text.

A format knows documents, never what they tell of.
"""
