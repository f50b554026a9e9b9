"""Samples taken without this program: the result of Ansible's ``measure_info``."""

import datetime as dt
from typing import Annotated, Final, Literal

import msgspec

from hashcost.core.decoding import UNDECODABLE
from hashcost.core.errors import UnavailableError, UnreadableInputError
from hashcost.core.machine import HostIdentity, Machine
from hashcost.core.measurement import (
    MOST,
    Count,
    ElapsedSeconds,
    HashSeconds,
    Knob,
    Params,
    Reading,
    Sample,
)
from hashcost.core.text import printable, quoted
from hashcost.core.units import check_moment
from hashcost.hashers.built_in import ALGORITHMS, Adapter
from hashcost.hashers.interface import ReadyCall
from hashcost.hashers.scrypt import hashlib_knobs
from hashcost.machine.signals import Counters
from hashcost.runtimes.remote_host import RemoteSystem
from hashcost.storage.profile import Header, check_schema

KIND: Final = "samples"
SCHEMA_VERSION: Final = 1

HASHERS: Final = {
    "sha512-crypt": ("crypt", "libcrypt"),
    "sha256-crypt": ("crypt", "libcrypt"),
    "bcrypt": ("crypt", "libcrypt"),
    "yescrypt": ("crypt", "libcrypt"),
    "pbkdf2-sha1": ("hashlib", "hashlib"),
    "pbkdf2-sha256": ("hashlib", "hashlib"),
    "pbkdf2-sha512": ("hashlib", "hashlib"),
    "scrypt": ("hashlib", "hashlib"),
}
"""The probe's library for each hasher, and its name here: applications on that host use them."""

_Text = Annotated[str, msgspec.Meta(max_length=1000)]
_File = Annotated[str, msgspec.Meta(max_length=1 << 16)]
_Files = Annotated[dict[_Text, _File], msgspec.Meta(max_length=1000)]


class RecordedHasher(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The samples of one hasher, or the error that prevented them."""

    hasher: _Text
    implementation: _Text
    implementation_version: _Text
    samples: Annotated[tuple[Sample, ...], msgspec.Meta(max_length=10_000)]
    error: _Text | None


class Libraries(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The host's Python and OpenSSL, and the setting that hides instructions from OpenSSL."""

    python: _Text
    openssl: _Text
    openssl_ia32cap: Annotated[str, msgspec.Meta(max_length=200)] | None


class Recording(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One run on one host, with the kernel's files that describe the host."""

    kind: Literal["samples"]
    schema: Literal[1]
    started: Annotated[dt.datetime, msgspec.Meta(tz=True)]
    ended: Annotated[dt.datetime, msgspec.Meta(tz=True)]
    duration_seconds: ElapsedSeconds
    target_seconds: HashSeconds
    host: HostIdentity
    libraries: Libraries
    memory_limit_bytes: Count
    clock: _Text
    password_bytes: Count
    salt_bytes: Count
    files: _Files
    files_after: _Files
    readings: Annotated[tuple[Reading, ...], msgspec.Meta(max_length=100_000)]
    hashers: Annotated[tuple[RecordedHasher, ...], msgspec.Meta(min_length=1, max_length=MOST)]

    def __post_init__(self) -> None:
        check_moment(self.started)
        check_moment(self.ended)

    @property
    def machine(self) -> Machine:
        """The host's facts, read from its files as those of a host behind a prefix are."""
        return msgspec.structs.replace(
            RemoteSystem(texts=self.files).describe(),
            python=self.libraries.python,
            openssl=self.libraries.openssl,
            openssl_ia32cap=self.libraries.openssl_ia32cap,
        )

    def counters(self) -> tuple[Counters, Counters]:
        """The host's counters before and after."""
        before = RemoteSystem(texts=self.files).counters()
        # Only the files that change in a run are read twice.
        after = RemoteSystem(texts={**self.files, **self.files_after}).counters()
        ended = before.wall_seconds + self.duration_seconds
        return before, msgspec.structs.replace(after, wall_seconds=ended)


def traits_of(recorded: RecordedHasher) -> Adapter:
    """The traits of a hasher in the probe's library."""
    return Adapter(
        recorded.hasher,
        HASHERS[recorded.hasher][1],
        recorded.implementation_version,
        _timed_there,
        narrowed=knobs_of(recorded.hasher),
    )


def _timed_there(password: bytes, salt: bytes, params: Params) -> ReadyCall:
    raise UnavailableError("was timed on another host")


def knobs_of(hasher: str) -> tuple[Knob, ...]:
    """The params that the probe may be asked to turn."""
    if hasher == "scrypt":
        return hashlib_knobs()
    return ALGORITHMS[hasher].knobs


def recording_from_json(content: bytes, *, name: str) -> Recording:
    """Read samples; ``name`` stands for their origin in messages.

    Raises:
        UnreadableInputError: they are damaged, or of a newer version.
    """
    schema = msgspec.json.decode(content, type=Header).schema
    check_schema(schema, SCHEMA_VERSION, name)
    try:
        recording = msgspec.json.decode(content, type=Recording)
    except UNDECODABLE as error:
        raise UnreadableInputError(
            f"{name} is damaged: {printable(str(error))}; measure that host again"
        ) from error
    for recorded in recording.hashers:
        if recorded.hasher not in HASHERS:
            raise UnreadableInputError(
                f"{name} has samples of {quoted(recorded.hasher, 60)}, which this version does not"
                " know; upgrade hashcost"
            )
        algorithm = ALGORITHMS[recorded.hasher]
        if not all(algorithm.allows(sample.params) for sample in recorded.samples):
            raise UnreadableInputError(
                f"{name} is damaged: {recorded.hasher} has other params; measure that host again"
            )
    return recording
