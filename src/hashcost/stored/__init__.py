"""Where stored hashes come from: lines, columns and databases, one hash at a time.

Nothing here keeps, prints or raises with what it reads: not a hash, not a salt, not
the name of a user.
"""
