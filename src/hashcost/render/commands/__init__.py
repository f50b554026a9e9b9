"""From a command's result to its `Document`, a file per command."""
