"""What each command shows, a file per command or kind of figure: a value in, a `Document` out."""
