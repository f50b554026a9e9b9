"""Times hashes: the plan of samples, the runner that hashes, the sampler that reads the clocks.

Not here: fitting the samples (``fit``) or choosing a cost (``recommend``).
"""
