"""A file per command of ``calibrate``: its options, and the calls that answer it."""
