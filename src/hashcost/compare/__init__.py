"""Machines side by side: how fast each is, and one cost for all of them."""
