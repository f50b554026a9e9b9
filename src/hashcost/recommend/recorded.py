"""Turn samples that were taken on another host into the profile of that host. Pure."""

from hashcost.core.errors import HashcostError, UnavailableError, UnreadableInputError
from hashcost.core.machine import TOOL, Probe
from hashcost.core.profile import SCHEMA_VERSION, Profile
from hashcost.core.units import check_target
from hashcost.hashers.registry import Candidate
from hashcost.machine.signals import clock_notices, noise_notices
from hashcost.measure.core_watch import CoreReadings
from hashcost.measure.request import Request
from hashcost.measure.session import Session
from hashcost.recommend.calibration import answered
from hashcost.runtimes.recording import (
    KIND,
    RecordedHasher,
    Recording,
    recording_from_json,
    traits_of,
)
from hashcost.storage.profile import encode_json, from_json, kind_of


def profile_from_json(content: bytes, *, name: str) -> Profile:
    """Read a profile, or solve the samples of another host.

    Raises:
        UnreadableInputError: the content is neither, or damaged.
    """
    if kind_of(content) != KIND:
        return from_json(content, name=name)
    recording = recording_from_json(content, name=name)
    try:
        check_target(recording.target_seconds)
        profile = _profile(recording)
    except (HashcostError, ArithmeticError, ValueError) as error:
        raise UnreadableInputError(
            f"{name} is damaged: {error}; measure that host again"
        ) from error
    # A computed profile must keep to the same bounds as one that is read.
    return from_json(encode_json(profile), name=name)


def _profile(recording: Recording) -> Profile:
    """Solve the samples that another host took."""
    # All was timed on the other host; its readings are replayed.
    readings = CoreReadings(readings=list(recording.readings))
    sessions = [_session(recorded, recording, readings) for recorded in recording.hashers]
    answers = [answered(session) for session in sessions]
    samples = [session.samples for session in sessions if session.samples]
    before, after = recording.counters()
    return Profile(
        schema=SCHEMA_VERSION,
        tool=TOOL,
        created=recording.ended,
        machine=recording.machine,
        probe=Probe(password_bytes=recording.password_bytes, salt_bytes=recording.salt_bytes),
        target_seconds=recording.target_seconds,
        duration_seconds=recording.duration_seconds,
        measurements=tuple(measured for measured, _ in answers if measured is not None),
        results=tuple(row for _, row in answers),
        warnings=(*clock_notices(recording.machine), *noise_notices(before, after, samples)),
        host=recording.host,
    )


def _session(recorded: RecordedHasher, recording: Recording, readings: CoreReadings) -> Session:
    """A session that has taken all its samples."""
    traits = traits_of(recorded)
    session = Session(
        candidates=(Candidate(recorded.hasher, traits.implementation, lambda: traits),),
        request=Request(target_seconds=recording.target_seconds),
        machine=recording.machine,
        memory_limit=recording.memory_limit_bytes,
        readings=readings,
        samples=list(recorded.samples),
    )
    # That host computed the known answers before it timed anything.
    with session.failing_alone():
        if recorded.error is not None:
            raise UnavailableError(recorded.error)
        session.adopt(traits, recording.clock)
    return session
