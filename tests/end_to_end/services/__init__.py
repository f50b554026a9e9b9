"""The libraries of services, to hash with what `calibrate emit` writes."""
