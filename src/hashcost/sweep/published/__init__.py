"""Tables of costs and times that were measured elsewhere, and what they answer."""
