"""What is timed: one file per algorithm family, found through entry points."""
