"""Applications with the libraries of other runtimes that are measured."""
