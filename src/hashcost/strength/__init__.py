"""The worth of a cost: policies' floors and attackers' prices, with source and date.

Not here: whether a configured cost is still right (``checks``).
"""
