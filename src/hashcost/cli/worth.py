"""The policies and devices that the user means."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hashcost.worth.attackers.device import Device
    from hashcost.worth.policies.policy import Policy


def policies_named(names: tuple[str, ...], *, name: str | None = "--policy") -> tuple[Policy, ...]:
    """The policies of these names or files; none for ``none``.

    ``name`` is what they were written for, to begin a message with; none for an argument.
    """
    from hashcost.core.errors import said_of
    from hashcost.hashers.registry import candidates
    from hashcost.worth.policies.catalogue import load_policies

    with contextlib.nullcontext() if name is None else said_of(name):
        return load_policies(names, {candidate.hasher for candidate in candidates()})


def devices_named(name: str) -> tuple[Device, ...]:
    """The device of this name; none for ``none``."""
    from hashcost.core.errors import said_of
    from hashcost.worth.attackers.device import load_device

    with said_of("--gpu"):
        return () if name == "none" else (load_device(name),)
