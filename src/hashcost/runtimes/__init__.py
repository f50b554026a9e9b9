"""Other runtimes: a probe file for each, the line protocol that they speak, and how they start.

What is timed and solved is decided above; here a hash is only run where the user asked for it.
"""
