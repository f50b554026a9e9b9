"""Profiles as files: saved whole, loaded with every field checked."""

from __future__ import annotations

import math
from pathlib import Path

import msgspec

from hashcost.errors import EXIT_CODES, UnreadableInputError
from hashcost.files import read_limited, write_whole
from hashcost.model import SCHEMA_VERSION, Profile, Recommendation

_LARGEST_FILE = 16 << 20
_LONGEST_TEXT = 1000


class _Header(msgspec.Struct):
    """What is read of any version, before anything else is trusted."""

    schema: int


def encode_json(value: object) -> bytes:
    """A profile, or any other value of the model, as indented UTF-8 JSON with a final newline."""
    return msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n"


def from_json(content: bytes, *, name: str) -> Profile:
    """Read a profile; ``name`` stands for its origin in messages.

    Raises:
        UnreadableInputError: it is no JSON, no profile, of a newer version, or
            holds a figure that cannot be.
    """
    try:
        schema = msgspec.json.decode(content, type=_Header).schema
    except msgspec.ValidationError as error:
        raise UnreadableInputError(
            f"{name} is not a hashcost profile; make one with `calibrate --save FILE`"
        ) from error
    except (msgspec.DecodeError, RecursionError) as error:
        raise UnreadableInputError(f"{name} is not whole JSON: {error}") from error
    if schema > SCHEMA_VERSION:
        raise UnreadableInputError(
            f"{name} has schema {schema}, newer than the {SCHEMA_VERSION} this version knows;"
            " upgrade hashcost"
        )
    try:
        _check_texts(msgspec.json.decode(content), name)
        profile = msgspec.json.decode(content, type=Profile)
    except (msgspec.ValidationError, RecursionError) as error:
        raise UnreadableInputError(f"{name} is not a hashcost profile: {error}") from error
    problem = _impossible(profile) or next(
        (
            f"{row.label} has {doubt}"
            for row in _measured_rows(profile)
            if (doubt := _impossible_row(row))
        ),
        None,
    )
    if problem:
        raise UnreadableInputError(f"{name} is damaged: {problem}")
    return profile


def load_profile(path: Path) -> Profile:
    """Load and check a profile.

    Raises:
        UnreadableInputError: it cannot be read or is not a valid profile.
    """
    return from_json(read_limited(path, _LARGEST_FILE), name=str(path))


def save_profile(profile: Profile, path: Path) -> None:
    """Save a profile, replacing the file as a whole.

    Raises:
        UnwritableOutputError: it cannot be written.
    """
    write_whole(path, encode_json(profile))


def _check_texts(content: object, name: str) -> None:
    """Refuse text that could steer a terminal, or that is no name of anything."""
    pending = [content]
    while pending:
        item = pending.pop()
        if isinstance(item, dict):
            pending += [*item.keys(), *item.values()]
        elif isinstance(item, list):
            pending += item
        elif isinstance(item, str) and not (item.isprintable() and len(item) <= _LONGEST_TEXT):
            raise UnreadableInputError(f"{name} is damaged: it has text that cannot be printed")


def _measured_rows(profile: Profile) -> list[Recommendation]:
    kept = [row.measured for row in profile.failures if row.measured is not None]
    return [*profile.recommendations, *kept]


def _impossible(profile: Profile) -> str | None:
    """What in a well-typed profile cannot be true."""
    if profile.schema < 1:
        return f"there is no schema {profile.schema}"
    if not profile.results:
        return "it has no results"
    if not 0 < profile.target_seconds < math.inf:
        return "its target is not above zero"
    if profile.created.tzinfo is None:
        return "its date has no time zone"
    unknown = [row.code for row in profile.failures if row.code not in EXIT_CODES]
    return f"it has an unknown failure {unknown[0]!r}" if unknown else None


def _impossible_row(row: Recommendation) -> str | None:
    """What in a well-typed row cannot be true."""
    knob, model = row.knob, row.model
    if row.params.keys() != {knob.name} or model.parameter != knob.name:
        return "params that do not fit its knob"
    if not 0 <= knob.minimum <= row.params[knob.name] <= knob.maximum:
        return f"a {knob.name} outside its range"
    times = [row.time_seconds, model.seconds_per_unit, *(row.interval_seconds or ())]
    if not all(math.isfinite(seconds) and seconds > 0 for seconds in times):
        return "a time that is not above zero"
    if model.scale is not knob.scale:
        return "a model on another scale than its knob"
    if row.interval_seconds is not None:
        low, high = row.interval_seconds
        if not low <= row.time_seconds <= high:
            return "a time outside its interval"
    if not (math.isfinite(model.overhead_seconds) and model.overhead_seconds >= 0):
        return "a negative overhead"
    if any(
        step.params.keys() != {knob.name} or not step.time_seconds > 0 for step in row.neighbours
    ):
        return "a neighbour that does not fit its knob"
    return None
