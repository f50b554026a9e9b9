"""Files of our own: profiles and settings, read with every figure checked and written whole.

Not here: files of applications (``apps``) and of stored hashes (``stored``).
"""
