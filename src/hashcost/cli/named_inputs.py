"""What the user names, as the values that it stands for: profiles, policies and devices."""

from __future__ import annotations

import contextlib
from pathlib import Path

from hashcost.core.errors import said_of
from hashcost.core.model import Profile
from hashcost.documents.profile import load_profile
from hashcost.hashers.registry import candidates
from hashcost.worth.attackers.device import Device, load_device
from hashcost.worth.policies.catalogue import load_policies
from hashcost.worth.policies.policy import Policy


def profile_named(option: str, path: Path) -> Profile:
    """The profile that an option names.

    Raises:
        UnreadableInputError: it cannot be read or is none; the message names the option.
    """
    with said_of(option):
        return load_profile(path)


def policies_named(names: tuple[str, ...], *, name: str | None = "--policy") -> tuple[Policy, ...]:
    """The policies of these names or files; none for ``none``.

    Messages begin with ``name``: what the policies were written for, `None` for an argument.
    """
    with contextlib.nullcontext() if name is None else said_of(name):
        return load_policies(names, lambda: {each.hasher for each in candidates()})


def devices_named(name: str) -> tuple[Device, ...]:
    """The device of this name; none for ``none``."""
    with said_of("--gpu"):
        return () if name == "none" else (load_device(name),)
