"""Profiles as files: saved whole, loaded with every field checked."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec

from hashcost.core.algorithms import COST_NAMES
from hashcost.core.errors import EXIT_CODES, UnreadableInputError
from hashcost.core.foreign import escaped, path_name
from hashcost.core.measurement import Knob, Measurement, Params
from hashcost.core.profile import SCHEMA_VERSION, Profile, Recommendation
from hashcost.documents.files import read_limited, write_whole

if TYPE_CHECKING:
    from hashcost.documents.profile_schema_1 import MeasuredRow

_LARGEST_FILE = 16 << 20
_LONGEST_TEXT = 1000
_LONG_TEXT = re.compile(rb'"[^"]{%d}' % (_LONGEST_TEXT + 1))
_COMMAND = re.compile(r"#(?=#\w*\[)")
"""What some CI takes for a command in any line."""
_HIGHEST_LOG2 = 63
_HIGHEST_COUNT = 2**62
"""Beyond any cost of today; two to the power of more would not be a figure."""


class Header(msgspec.Struct):
    """What is read of a file of any kind and version, before anything else is trusted."""

    schema: Annotated[int, msgspec.Meta(ge=-1, le=2**62)]
    kind: str = ""
    """Of a profile empty."""


def kind_of(content: bytes) -> str | None:
    """What JSON says that it is, in whatever version; `None` if it says nothing."""
    try:
        return msgspec.json.decode(content, type=Header).kind
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def encode_json(value: object) -> bytes:
    """A profile, or any other value of the model, as indented UTF-8 JSON with a final newline.

    No character of it steers a terminal, and no line a CI job.
    """
    try:
        encoded = msgspec.json.encode(value)
    except UnicodeEncodeError:  # A byte that is not UTF-8, of which JSON has no notion.
        encoded = msgspec.json.encode(_escaped(msgspec.to_builtins(value)))
    formatted = msgspec.json.format(encoded, indent=2) + b"\n"
    text = formatted.decode()
    if "##" not in text and text.replace("\n", "").isprintable():
        return formatted
    text = _COMMAND.sub(r"\\u0023", text)
    return "".join(c if c.isprintable() or c == "\n" else _in_json(c) for c in text).encode()


def _in_json(character: str) -> str:
    units = character.encode("utf-16-be")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))


def _escaped(value: Any) -> Any:
    """What JSON holds, with every text as it is shown elsewhere."""
    if isinstance(value, str):
        return escaped(value)
    if isinstance(value, dict):
        return {_escaped(key): _escaped(item) for key, item in value.items()}
    return [*map(_escaped, value)] if isinstance(value, list | tuple) else value


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
        raise UnreadableInputError(
            f"{name} is incomplete or broken JSON: {error};"
            " make a profile with `calibrate --save FILE`"
        ) from error
    if header.kind == "sweep":
        raise UnreadableInputError(
            f"{name} is a sweep, not a profile; make one with `calibrate --save FILE`"
        )
    if header.schema > SCHEMA_VERSION:
        raise UnreadableInputError(
            f"{name} has schema {header.schema}, newer than the {SCHEMA_VERSION} this version"
            " knows; upgrade hashcost"
        )
    if header.schema < 1:
        raise UnreadableInputError(
            f"{name} is damaged: schema {header.schema} does not exist;"
            f" make a new one with `calibrate --save FILE`"
        )
    try:
        check_texts(content, name)
        profile = _read(content, header.schema, name)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        why = _other_result(content) or f"not a hashcost profile: {error}"
        raise UnreadableInputError(f"{name} is {why}") from error
    problem = _impossible(profile)
    if problem:
        raise UnreadableInputError(f"{name} is damaged: {problem}")
    return profile


class _OtherResult(msgspec.Struct):
    """What other commands print as JSON, as far as it tells which one did."""

    schema: int
    tool: dict[str, str]
    layout: str | None = None
    kinds: dict[str, int] | None = None


def _other_result(content: bytes) -> str | None:
    """What a file is that another command printed, and what to type instead of reading it."""
    try:
        found = msgspec.json.decode(content, type=_OtherResult)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    if found.tool.get("name") != "hashcost":
        return None
    if found.layout is not None and found.kinds is not None:
        return "an audit; write its page with `calibrate audit FILE --format html -o audit.html`"
    return None


def _read(content: bytes, schema: int, name: str) -> Profile:
    if schema > 1:
        return msgspec.json.decode(content, type=Profile)
    from hashcost.documents.profile_schema_1 import ProfileOfSchema1, upgraded

    old = msgspec.json.decode(content, type=ProfileOfSchema1)
    for row in old.rows:
        if doubt := _impossible_old_row(row):
            raise UnreadableInputError(f"{name} is damaged: {row.label} has {doubt}")
    # What is computed from its figures is held to the same bounds as what is read.
    return msgspec.json.decode(msgspec.json.encode(upgraded(old)), type=Profile)


def _impossible_old_row(row: MeasuredRow) -> str | None:
    """What would keep a measurement from being put together of a row of schema 1."""
    if any(not is_legal(knob) for knob in row.knobs):
        return "a knob with an impossible range"
    settings = [row.params, *(step.params for step in row.neighbours)]
    settings += [sample.params for sample in row.samples]
    knobs = {knob.name: knob for knob in row.knobs}
    return _impossible_params(settings, {*row.params}, knobs)


def load_profile(path: Path, read: Callable[..., Profile] = from_json) -> Profile:
    """Load and check a profile; ``read`` may know what else stands for one.

    Raises:
        UnreadableInputError: it cannot be read or is not a valid profile.
    """
    try:
        content = read_limited(path, _LARGEST_FILE)
    except UnreadableInputError as error:
        if isinstance(error.__cause__, FileNotFoundError):
            told = f"{error}; make it with `calibrate --save {path_name(path)}`"
            raise UnreadableInputError(told) from error
        raise
    return read(content, name=path_name(path))


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
            raise UnreadableInputError(
                f"{name} is damaged: it has text that cannot be printed; make a new one"
            )


def _has_plain_texts(content: bytes) -> bool:
    """Whether it is seen at a glance that every text can be printed, as it nearly always is.

    Without an escape every text stands as it is between two quotation marks.
    """
    if b"\\" in content or _LONG_TEXT.search(content):
        return False
    return content.decode().replace("\n", "").isprintable()


def _impossible(profile: Profile) -> str | None:
    """What in a well-typed profile cannot be true."""
    unknown = [row.code for row in profile.failures if row.code not in EXIT_CODES]
    if unknown:
        return f"it has an unknown failure {unknown[0]!r}"
    for measurement in profile.measurements:
        if doubt := _impossible_measurement(measurement):
            return f"{measurement.label} has {doubt}"
    for row in profile.recommendations:
        if doubt := _impossible_row(row, profile.measurement_of(row)):
            return f"{row.label} has {doubt}"
    return None


def _impossible_measurement(measurement: Measurement) -> str | None:
    knobs = {knob.name: knob for knob in measurement.knobs}
    if any(not is_legal(knob) for knob in measurement.knobs):
        return "a knob with an impossible range"
    if measurement.climbs and not measurement.knobs[0].steps:
        return "a ladder without steps"
    names = {*COST_NAMES.get(measurement.hasher, measurement.lowest)}
    curves = measurement.fitted.curves
    settings = [curve.params for curve in curves]
    settings += [step.params for step in measurement.fitted.beyond]
    settings += [sample.params for sample in measurement.samples]
    if doubt := _impossible_params(settings, names, knobs):
        return doubt
    for curve in curves:
        knob = knobs.get(curve.model.parameter)
        if knob is None or curve.model.scale is not knob.scale or curve.knob not in {None, knob}:
            return "a curve that does not fit its knobs"
        if measurement.climbs and not curve.memory_bytes:
            return "a step of memory that takes none"
        low, high = curve.relative_interval or (0.0, 1.0)
        if not low <= 1 <= high:
            return "a time outside its interval"
        if any(not curve.lowest <= value <= knob.maximum for value in curve.step_seconds):
            return f"a {knob.name} outside its range"
    ladder = measurement.knobs[0].name
    timed = {curve.params[ladder] for curve in curves}
    if measurement.climbs and any(
        each.params[ladder] not in timed for each in measurement.samples
    ):
        return "samples of a step that it has no curve of"
    return None


def _impossible_params(
    settings: Iterable[Params], names: set[str], knobs: Mapping[str, Knob]
) -> str | None:
    if not knobs.keys() <= names:
        return "params that do not fit its knobs"
    for params in settings:
        if params.keys() != names:
            return "params of another hasher"
        for name, value in params.items():
            knob = knobs.get(name)
            low, high = (1, _HIGHEST_COUNT) if knob is None else (knob.minimum, knob.maximum)
            if not low <= value <= high:
                return f"a {name} outside its range"
    return None


def _impossible_row(row: Recommendation, measurement: Measurement | None) -> str | None:
    names = [knob.name for knob in row.knobs]
    if measurement is None or names != [knob.name for knob in measurement.knobs]:
        return "no measurement"
    knobs = {knob.name: knob for knob in row.knobs}
    turned = knobs.get(row.model.parameter)
    if turned is None or row.model.scale is not turned.scale:
        return "a model that does not fit its knobs"
    settings = [row.params, *(step.params for step in row.neighbours)]
    settings += [] if row.raised_from is None else [row.raised_from]
    if doubt := _impossible_params(settings, {*measurement.lowest}, knobs):
        return doubt
    named = [params for check in row.floors for params in (check.params, check.time_params)]
    named += [price.benchmark_params for price in row.attacker]
    if any(not 0 <= count <= _HIGHEST_COUNT for each in named for count in (each or {}).values()):
        return "a figure below zero or without end"
    low, high = row.interval_seconds or (0.0, row.time_seconds)
    if not low <= row.time_seconds <= high:
        return "a time outside its interval"
    if row.capacity is not None and row.capacity.params != row.params:
        return "an impossible capacity"
    return None


def is_legal(knob: Knob) -> bool:
    """Whether a knob's range is one that can be."""
    # Of a count, nothing takes no time; two to the power of nothing is one.
    lowest, highest = (0, _HIGHEST_LOG2) if knob.doubles else (1, _HIGHEST_COUNT)
    if not lowest <= knob.minimum <= knob.maximum <= highest:
        return False
    steps = (knob.minimum - 1, *knob.steps, knob.maximum + 1)
    return all(one < other for one, other in itertools.pairwise(steps))
