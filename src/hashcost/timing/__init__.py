"""The edge where clocks and the machine are read."""
