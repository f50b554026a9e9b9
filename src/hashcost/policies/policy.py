"""What a policy is, and whether a cost meets it. Pure, but for reading the built-in files."""

from __future__ import annotations

import datetime as dt
import tomllib
from importlib.resources import files

import msgspec

from hashcost.model import Params


class Floor(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The least that a policy asks of a hasher; of several for one hasher any one will do."""

    hasher: str
    params: Params

    def met_by(self, params: Params) -> bool:
        """Whether no param is below the floor's."""
        return all(params.get(name, 0) >= least for name, least in self.params.items())


class Policy(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A published policy with the place and the day it was read at."""

    id: str
    title: str
    source: str
    date: dt.date
    floors: tuple[Floor, ...]

    def floors_of(self, hasher: str) -> tuple[Floor, ...]:
        """The alternatives for one hasher; none where the policy does not name it."""
        return tuple(floor for floor in self.floors if floor.hasher == hasher)


def load_policy(name: str) -> Policy:
    """Load a built-in policy by its id."""
    text = files("hashcost.policies").joinpath("data", f"{name}.toml").read_text("utf-8")
    return msgspec.convert(tomllib.loads(text), Policy)
