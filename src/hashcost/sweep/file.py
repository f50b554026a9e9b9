"""Sweeps as files: saved whole, loaded with every figure checked."""

from pathlib import Path

import msgspec

from hashcost.core.errors import UnreadableInputError
from hashcost.core.profile import Profile
from hashcost.core.text import path_name
from hashcost.documents.files import read_limited, write_whole
from hashcost.documents.profile import Header, check_texts, encode_json, kind_of
from hashcost.recommend.recorded import profile_from_json
from hashcost.sweep.model import SWEEP_SCHEMA_VERSION, Sweep

_LARGEST_FILE = 64 << 20


def save_sweep(sweep: Sweep, path: Path) -> None:
    """Save a sweep, replacing the file as a whole.

    Raises:
        UnwritableOutputError: it cannot be written.
    """
    write_whole(path, encode_json(sweep))


def load_sweep(path: Path) -> Sweep:
    """Load and check a sweep.

    Raises:
        UnreadableInputError: it cannot be read or is not a valid sweep.
    """
    return sweep_from_json(read_limited(path, _LARGEST_FILE), name=path_name(path))


def load_measured(path: Path) -> Profile | Sweep:
    """Load and check what was saved, be it a profile or a sweep.

    Raises:
        UnreadableInputError: it cannot be read, or is neither.
    """
    return measured_from_json(read_limited(path, _LARGEST_FILE), name=path_name(path))


def measured_from_json(content: bytes, *, name: str) -> Profile | Sweep:
    """Read a profile, a sweep or another host's samples; ``name`` is what messages call it.

    Raises:
        UnreadableInputError: it is none of them, or damaged.
    """
    read = sweep_from_json if is_sweep(content) else profile_from_json
    return read(content, name=name)


def is_sweep(content: bytes) -> bool:
    """Whether JSON says of itself that it is a sweep, of whatever version."""
    return kind_of(content) == "sweep"


def sweep_from_json(content: bytes, *, name: str) -> Sweep:
    """Read a sweep; ``name`` stands for its origin in messages.

    Raises:
        UnreadableInputError: it is no JSON, no sweep, of a newer version, or holds a
            figure that cannot be.
    """
    if not is_sweep(content):
        raise UnreadableInputError(
            f"{name} is not a hashcost sweep; make one with `calibrate sweep HASHER --save FILE`"
        )
    schema = msgspec.json.decode(content, type=Header).schema
    if schema > SWEEP_SCHEMA_VERSION:
        raise UnreadableInputError(
            f"{name} has schema {schema}, newer than the {SWEEP_SCHEMA_VERSION} this version"
            " knows; upgrade hashcost"
        )
    try:
        check_texts(content, name)
        return msgspec.json.decode(content, type=Sweep)
    except msgspec.ValidationError as error:
        raise UnreadableInputError(f"{name} is damaged: {error}") from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UnreadableInputError(f"{name} is not a hashcost sweep: {error}") from error
