"""One call, read by one rule: the cost that it sets, and what it sets besides."""
