"""Is a configured cost still right? Checks, audits, explanations, costs of files and of code."""
