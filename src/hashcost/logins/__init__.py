"""What a cost leaves for logins: capacity, load, the queue, and the cost that a rate allows.

Not here: the time of one hash by itself (``fit``).
"""
