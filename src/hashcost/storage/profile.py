"""Profiles as files: saved whole, loaded with every figure within the bounds of its type."""

import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import msgspec

from hashcost.core.algorithms import COST_NAMES
from hashcost.core.decoding import UNDECODABLE
from hashcost.core.errors import UnreadableInputError
from hashcost.core.measurement import Curve, Measurement, Scale, Surface, work
from hashcost.core.profile import SCHEMA_VERSION, Profile, Recommendation
from hashcost.core.text import escaped, path_name
from hashcost.fit.times import is_fitted_to_samples, setting_at
from hashcost.storage.files import read_limited, write_whole

# Some CI systems obey this in any line.
_CI_COMMAND = re.compile(r"#(?=#\w*\[)")


class Header(msgspec.Struct):
    """The beginning of a file of any kind and version, read before the rest is trusted."""

    schema: Annotated[int, msgspec.Meta(ge=1, le=2**62)]
    kind: str = ""
    """Empty for a profile."""


def check_schema(schema: int, newest: int, name: str) -> None:
    """Refuse a file whose schema is newer than ``newest``.

    Raises:
        UnreadableInputError: it is newer; ``name`` stands for it in the message.
    """
    if schema > newest:
        raise UnreadableInputError(
            f"{name} has schema {schema}, newer than the {newest} this version knows; upgrade"
            " hashcost"
        )


def kind_of(content: bytes) -> str | None:
    """The kind that a JSON document states, in any version; `None` if it states none."""
    try:
        return msgspec.json.decode(content, type=Header).kind
    except UNDECODABLE:
        return None


def encode_json(value: object) -> bytes:
    """Write a profile, or any other value of the model, as indented UTF-8 JSON.

    No character of it can control a terminal, and no line a CI job.
    """
    try:
        encoded = msgspec.json.encode(value)
    except UnicodeEncodeError:  # A byte that is not UTF-8, which JSON cannot hold.
        encoded = msgspec.json.encode(_escaped(msgspec.to_builtins(value)))
    formatted = msgspec.json.format(encoded, indent=2) + b"\n"
    text = formatted.decode()
    if "##" not in text and text.replace("\n", "").isprintable():
        return formatted
    text = _CI_COMMAND.sub(r"\\u0023", text)
    return "".join(c if c.isprintable() or c == "\n" else _in_json(c) for c in text).encode()


def _in_json(character: str) -> str:
    # JSON escapes what lies beyond 16 bits as two surrogates (RFC 8259, section 7).
    units = character.encode("utf-16-be")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))


def _escaped(value: Any) -> Any:
    if isinstance(value, str):
        return escaped(value)
    if isinstance(value, dict):
        return {_escaped(key): _escaped(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [*map(_escaped, value)]
    return value


def from_json(content: bytes, *, name: str) -> Profile:
    """Read a profile; ``name`` stands for its origin in messages.

    Raises:
        UnreadableInputError: it is not JSON, not a profile, of a newer version, or damaged.
    """
    cure = "make one with `calibrate --save FILE`"

    def damaged(why: str) -> UnreadableInputError:
        return UnreadableInputError(f"{name} is damaged: {why}; {cure}")

    try:
        header = msgspec.json.decode(content, type=Header)
    except msgspec.ValidationError as error:
        raise UnreadableInputError(f"{name} is not a hashcost profile; {cure}") from error
    except UNDECODABLE as error:
        raise UnreadableInputError(
            f"{name} is incomplete or broken JSON: {error}; {cure}"
        ) from error
    check_schema(header.schema, SCHEMA_VERSION, name)
    try:
        check_texts(content, name)
        profile = msgspec.json.decode(content, type=Profile)
    except UNDECODABLE as error:
        raise UnreadableInputError(f"{name} is not a hashcost profile: {error}") from error
    contexts = (profile, *profile.other_contexts)
    # All code reads one level of them only.
    if any(context.other_contexts for context in contexts[1:]):
        raise damaged("a context has contexts")
    for context in contexts:
        fault = _fault_of(context)
        if fault:
            raise damaged(fault)
    return profile


def _fault_of(profile: Profile) -> str:
    """Say which figures of a profile cannot be; empty if all can."""
    for row in profile.recommendations:
        if profile.measurement_of(row) is None:
            return f"{row.label} has no measurement"
    parts: tuple[Measurement | Recommendation, ...]
    parts = (*profile.measurements, *profile.recommendations)
    for part in parts:
        if not _is_possible(part):
            return f"{part.label} has figures that cannot be"
    # Figures that are possible each may still not be of one run.
    for measurement in profile.measurements:
        if not is_fitted_to_samples(measurement):
            return f"{measurement.label} has other times than its samples"
    for row in profile.recommendations:
        if not _is_answer_of(profile.measurement_of(row), row):
            return f"{row.label} has another time than its measurement"
    return ""


def _is_possible(part: Measurement | Recommendation) -> bool:
    """Whether every setting has the hasher's params, and no figure is beyond arithmetic."""
    knobs = list(part.knobs)
    if isinstance(part, Measurement):
        curves = part.fitted.curves
        if part.fitted.surface is not None and not _has_memory(curves, part.fitted.surface):
            return False
        timed = [(curve.model, curve.params) for curve in curves]
        knobs += [curve.knob for curve in curves if curve.knob is not None]
        settings = [curve.params for curve in curves]
        settings += [sample.params for sample in part.samples]
        intervals = [curve.relative_interval for curve in curves]
    else:
        timed = [(part.model, part.params)]
        settings = [part.params]
        settings += [neighbour.params for neighbour in part.neighbours]
        intervals = [part.interval_seconds]
    # Only its own package knows the params of another hasher, but they are those of each setting.
    names = COST_NAMES.get(part.hasher, tuple(settings[0]))
    ends = dict.fromkeys(names, 2**63)
    powers = {knob.name for knob in knobs if knob.doubles}
    powers |= {model.parameter for model, _ in timed if model.scale is Scale.LOG2}
    turned = {knob.name for knob in knobs} | {model.parameter for model, _ in timed} | powers
    if not turned <= ends.keys():
        return False
    # Of a cost that doubles, 2 to its power must be a count.
    ends |= dict.fromkeys(powers, 64)
    if any(low > high for low, high in intervals):
        return False
    if not all(knob.minimum <= knob.maximum < ends[knob.name] for knob in knobs):
        return False
    for params in settings:
        if params.keys() != ends.keys():
            return False
        if not all(0 < value < ends[name] for name, value in params.items()):
            return False
    for model, params in timed:
        if model.seconds(work(model.scale, params[model.parameter])) <= 0:
            return False
    return True


def _has_memory(curves: Sequence[Curve], surface: Surface) -> bool:
    """Whether each curve, and each hash that corrects the surface, takes memory."""
    memories = [curve.memory_bytes for curve in curves]
    memories += [memory for memory, *_ in surface.misses]
    return all(memories)


def _is_answer_of(measurement: Measurement | None, row: Recommendation) -> bool:
    """Whether a row's time is that of its measurement at these params."""
    if measurement is None:
        return False
    setting = setting_at(measurement, row.params)
    if setting is None:
        return False
    low, high = row.interval_seconds
    return all(low <= seconds <= high for seconds in (setting.seconds, row.time_seconds))


def load_profile(
    path: str | os.PathLike[str], read: Callable[..., Profile] = from_json
) -> Profile:
    """Load and check a profile; ``read`` may accept another kind of file as well.

    Raises:
        UnreadableInputError: it cannot be read or is not a valid profile.
    """
    path = Path(path)
    try:
        content = read_limited(path)
    except UnreadableInputError as error:
        if isinstance(error.__cause__, FileNotFoundError):
            cure = f"make it with `calibrate --save {path_name(path)}`"
            raise UnreadableInputError(f"{error}; {cure}") from error
        raise
    return read(content, name=path_name(path))


def save_profile(profile: Profile, path: str | os.PathLike[str], *, typed: bool = True) -> None:
    """Save a profile, replacing the file as a whole; follow links only in a ``typed`` path.

    Raises:
        UnwritableOutputError: it cannot be written.
    """
    write_whole(Path(path), encode_json(profile), typed=typed)


def check_texts(content: bytes, name: str) -> None:
    """Refuse JSON with text that could control a terminal.

    Raises:
        UnreadableInputError: it has such text.
        DecodeError: it is not JSON.
    """
    text = content.decode()
    if "\\" not in text and text.replace("\n", "").isprintable():
        return  # Without escapes every string is in the text as it is.
    # A list of what is left, since a file may be nested more deeply than functions may call.
    pending = [msgspec.json.decode(content)]
    while pending:
        item = pending.pop()
        if isinstance(item, dict):
            pending += [*item.keys(), *item.values()]
        elif isinstance(item, list):
            pending += item
        elif isinstance(item, str) and not item.isprintable():
            raise UnreadableInputError(
                f"{name} is damaged: it has text that cannot be printed; make a new one"
            )
