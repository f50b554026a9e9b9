"""Files that commands read and change: of applications, of a project, saved profiles."""
