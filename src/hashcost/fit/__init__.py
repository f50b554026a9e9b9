"""From samples to curves, and from a curve and a target to a cost: pure arithmetic.

Not here: taking samples (``measure``), or choosing a setting to recommend (``recommend``).
"""
