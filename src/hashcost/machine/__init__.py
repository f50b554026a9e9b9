"""Which machine this is and how quiet it is: clocks, facts, memory, counters, history.

The only room that reads the clocks that time hashes; others ask a ``Host``.
"""
