"""What each command shows, a file per command: a value in, a `Document` out."""
