"""The forms of files that applications are configured by, shared by several of them."""
