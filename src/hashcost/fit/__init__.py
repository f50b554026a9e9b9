"""From samples to curves, and from a curve and a target to a cost. Pure arithmetic."""
