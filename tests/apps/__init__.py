"""What applications are configured by."""
