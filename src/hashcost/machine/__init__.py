"""Which machine this is and how quiet it is: clocks, facts, memory, counters, history.

The only room that reads clocks and system files; everyone else asks a ``Host``.
"""
