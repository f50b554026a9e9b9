"""The logins that a cost allows: capacity, load, the queue, and the cost for a rate of logins.

Not here: the time of one hash by itself (``fit``).
"""
