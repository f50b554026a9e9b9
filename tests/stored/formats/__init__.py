"""What stored hash strings say."""
