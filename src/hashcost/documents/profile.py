"""Profiles as files: saved whole, loaded with every field checked."""

from __future__ import annotations

import math
import re
from pathlib import Path

import msgspec

from hashcost.core.algorithms import COST_NAMES
from hashcost.core.errors import EXIT_CODES, UnreadableInputError
from hashcost.core.model import SCHEMA_VERSION, Knob, Profile, Recommendation, Scale
from hashcost.documents.files import read_limited, write_whole

_LARGEST_FILE = 16 << 20
_LONGEST_TEXT = 1000
_LONG_TEXT = re.compile(rb'"[^"]{%d}' % (_LONGEST_TEXT + 1))
_HIGHEST_LOG2 = 63
_HIGHEST_COUNT = 2**63
"""Beyond any cost of today; two to the power of more would not be a figure."""


class Header(msgspec.Struct):
    """What is read of a file of any kind and version, before anything else is trusted."""

    schema: int
    kind: str = ""
    """Of a profile empty."""


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
        header = msgspec.json.decode(content, type=Header)
    except msgspec.ValidationError as error:
        raise UnreadableInputError(
            f"{name} is not a hashcost profile; make one with `calibrate --save FILE`"
        ) from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UnreadableInputError(f"{name} is not whole JSON: {error}") from error
    if header.kind == "sweep":
        raise UnreadableInputError(
            f"{name} is a sweep, not a profile; make one with `calibrate --save FILE`"
        )
    if header.schema > SCHEMA_VERSION:
        raise UnreadableInputError(
            f"{name} has schema {header.schema}, newer than the {SCHEMA_VERSION} this version"
            " knows; upgrade hashcost"
        )
    try:
        check_texts(content, name)
        profile = msgspec.json.decode(content, type=Profile)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
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


def check_texts(content: bytes, name: str) -> None:
    """Refuse JSON with text that could steer a terminal, or that is no name of anything.

    Raises:
        UnreadableInputError: it has such text.
        DecodeError: it is no JSON.
    """
    if _has_plain_texts(content):
        return
    pending = [msgspec.json.decode(content)]
    while pending:
        item = pending.pop()
        if isinstance(item, dict):
            pending += [*item.keys(), *item.values()]
        elif isinstance(item, list):
            pending += item
        elif isinstance(item, str) and not (item.isprintable() and len(item) <= _LONGEST_TEXT):
            raise UnreadableInputError(f"{name} is damaged: it has text that cannot be printed")


def _has_plain_texts(content: bytes) -> bool:
    """Whether it is seen at a glance that every text can be printed, as it nearly always is.

    Without an escape every text stands as it is between two quotation marks.
    """
    if b"\\" in content or _LONG_TEXT.search(content):
        return False
    return content.decode().replace("\n", "").isprintable()


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
    if not 0 <= profile.duration_seconds < math.inf:
        return "its duration is below zero"
    if profile.created.tzinfo is None:
        return "its date has no time zone"
    unknown = [row.code for row in profile.failures if row.code not in EXIT_CODES]
    return f"it has an unknown failure {unknown[0]!r}" if unknown else None


def _impossible_row(row: Recommendation) -> str | None:
    """What in a well-typed row cannot be true."""
    model = row.model
    knobs = {knob.name: knob for knob in row.knobs}
    if not knobs or not knobs.keys() <= row.params.keys() or model.parameter not in knobs:
        return "params that do not fit its knobs"
    if any(not is_legal(knob) for knob in row.knobs):
        return "a knob whose range cannot be"
    if row.params.keys() != set(COST_NAMES.get(row.hasher, row.params)):
        return "params of another hasher"
    settings = [row.params, *(step.params for step in row.neighbours)]
    settings += [sample.params for sample in row.samples]
    settings += [] if row.raised_from is None else [row.raised_from]
    for params in settings:
        if params.keys() != row.params.keys():
            return "params of another hasher"
        for name, knob in knobs.items():
            if not knob.minimum <= params[name] <= knob.maximum:
                return f"a {name} outside its range"
        if not all(0 < params[name] <= _HIGHEST_COUNT for name in params.keys() - knobs.keys()):
            return "params that cannot be"
    if model.scale is not knobs[model.parameter].scale:
        return "a model on another scale than its knob"
    times = [row.time_seconds, row.cpu_seconds, model.seconds_per_unit]
    times += [step.time_seconds for step in row.neighbours]
    if not all(0 < seconds < math.inf for seconds in times):
        return "a time that is not above zero"
    if row.interval_seconds is not None:
        low, high = row.interval_seconds
        if not 0 <= low <= row.time_seconds <= high < math.inf:
            return "a time outside its interval"
    return (
        _impossible_figure(row)
        or _impossible_worth(row)
        or _impossible_capacity(row)
        or _impossible_ladder(row)
    )


def _impossible_figure(row: Recommendation) -> str | None:
    times = [row.model.overhead_seconds, row.wall_seconds or 0.0]
    counts = [row.memory_bytes, row.threads - 1, *(step.memory_bytes for step in row.neighbours)]
    for sample in row.samples:
        times += [sample.cpu_seconds, sample.wall_seconds, sample.system_seconds]
        counts.append(sample.page_faults)
    if not all(0 <= seconds < math.inf for seconds in times) or not 0 < row.confidence < 1:
        return "a figure below zero or without end"
    if not all(0 <= count <= _HIGHEST_COUNT for count in counts):
        return "a figure below zero or without end"
    return None


def _impossible_capacity(row: Recommendation) -> str | None:
    """What in the logins that were counted cannot be true."""
    level = row.capacity
    if level is None:
        return None
    times = [level.logins_per_second, level.p50_seconds, level.duration_seconds]
    times += [*level.latency_seconds, level.p95_seconds or level.p50_seconds]
    if not all(0 < figure < math.inf for figure in times) or level.params != row.params:
        return "a capacity that cannot be"
    counts = (level.threads - 1, level.hashes - 1, level.memory_bytes)
    burnt = (level.cpu_seconds, level.queued_seconds or 0.0)
    if not all(0 <= count <= _HIGHEST_COUNT for count in counts):
        return "a capacity that cannot be"
    return None if all(0 <= s < math.inf for s in burnt) else "a capacity that cannot be"


def _impossible_worth(row: Recommendation) -> str | None:
    """What in the floors and the price cannot be true."""
    figures = [check.time_seconds for check in row.floors]
    named = [params for check in row.floors for params in (check.params, check.time_params)]
    counts = [count for params in named for count in (params or {}).values()]
    for price in row.attacker:
        figures += [price.guesses_per_second]
        figures += [price.dollars_per_hour, price.dollars_per_2_32_guesses]
        counts += price.benchmark_params.values()
    if not all(0 < figure < math.inf for figure in figures if figure is not None):
        return "a floor's time or a price that is not above zero"
    if not all(0 <= count <= _HIGHEST_COUNT for count in counts):
        return "a figure below zero or without end"
    return None


def _impossible_ladder(row: Recommendation) -> str | None:
    """What in the steps of a hasher in memory cannot be true."""
    ladder = row.knobs[0]
    if ladder.scale is not Scale.LADDER:
        return None
    known = {row.params[ladder.name]: row.memory_bytes}
    timed = [step for step in row.neighbours if step.measured]
    known |= {step.params[ladder.name]: step.memory_bytes for step in timed}
    if not ladder.steps or not all(known.values()):
        return "a ladder without steps or memory"
    if any(sample.params[ladder.name] not in known for sample in row.samples):
        return "samples of a step that it does not list as measured"
    return None


def is_legal(knob: Knob) -> bool:
    """Whether a knob's range is one that can be."""
    # Of a count, nothing takes no time; two to the power of nothing is one.
    lowest, highest = (0, _HIGHEST_LOG2) if knob.scale is Scale.LOG2 else (1, _HIGHEST_COUNT)
    return lowest <= knob.minimum <= knob.maximum <= highest
