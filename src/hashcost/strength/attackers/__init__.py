"""The price of guessing: published speeds as data, scaled to a cost."""
