"""The importance of a finding to the person who runs a check."""

import enum


class Severity(enum.Enum):
    """From nothing to do to what fails the check."""

    PASSED = "passed"
    NOTE = "note"
    WARNING = "warning"
    ERROR = "error"


class Apart(enum.Enum):
    """Why a stored hash is listed apart: it protects no account."""

    TESTS = "tests"
    DOCUMENTATION = "documentation"
    COMMENT = "comment"
    DUMMY = "dummy"
    """Passwords of unknown users are checked against it, as its name says."""
