"""Times hashes: what to time next, the runner that hashes, the sampler that reads the clocks.

Not here: what the samples mean (``fit``) or which cost to use (``recommend``).
"""
