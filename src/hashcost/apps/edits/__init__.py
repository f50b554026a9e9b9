"""Edits of an application's file that may set its cost; the application's reader decides."""
