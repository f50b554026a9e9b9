"""Profiles that the user names."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hashcost.core.model import Profile


def profile_named(option: str, path: Path) -> Profile:
    """The profile that an option names.

    Raises:
        UnreadableInputError: it cannot be read or is none; the message names the option.
    """
    from hashcost.core.errors import said_of
    from hashcost.documents.profile import load_profile

    with said_of(option):
        return load_profile(path)
