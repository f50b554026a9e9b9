"""The importance of a finding to the person who runs a check."""

import enum


class Severity(enum.Enum):
    """From nothing to do to what fails the check."""

    PASSED = "passed"
    NOTE = "note"
    WARNING = "warning"
    ERROR = "error"
