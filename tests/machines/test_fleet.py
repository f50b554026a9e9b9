"""The folder of a fleet: which profiles answer a request, and what becomes of a run."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from hashcost.core.errors import RuntimeEndedError, UnavailableError
from hashcost.core.machine import HostIdentity
from hashcost.core.profile import Failure, Profile
from hashcost.machines.fleet import Folder, HostOutcome, Wanted
from hashcost.machines.hosts import FleetHost
from hashcost.machines.running import Ended
from hashcost.storage.profile import load_profile, save_profile
from made_up import PROFILE_FILE

WEB = FleetHost(name="web1")
SAVED = load_profile(PROFILE_FILE)


def of_web(runtime: str) -> Profile:
    """The profile of the host, by the libraries of a runtime there."""

    def parts(own: Iterable[Any]) -> tuple[Any, ...]:
        return tuple(replace(part, implementation=runtime + part.implementation) for part in own)

    return replace(
        SAVED,
        host=HostIdentity(name="web1"),
        measurements=parts(SAVED.measurements),
        results=parts(SAVED.results),
    )


OF_WEB = of_web("python:")
WANTED = Wanted(target_seconds=SAVED.target_seconds, runtime="python", hashers=("bcrypt",))


def failed_with(code: str, *, alone: bool = False) -> Profile:
    """The profile with a row that failed in this way, beside the others or alone."""
    failure = Failure(
        hasher="scrypt", implementation="python:hashlib", code=code, error="Python: made up"
    )
    if alone:
        return replace(OF_WEB, measurements=(), results=(failure,))
    return replace(OF_WEB, results=(*OF_WEB.results, failure))


def looked(folder: Path, profile: Profile) -> HostOutcome | None:
    """The outcome of a host with this profile in the folder, before anything is measured."""
    save_profile(profile, folder / WEB.file_name, typed=False)
    fleet = Folder(path=folder, wanted=WANTED)
    fleet.look([WEB])
    return fleet.results[WEB].outcome if WEB in fleet.results else None


@pytest.mark.parametrize(
    ("profile", "outcome"),
    [
        (OF_WEB, HostOutcome.KEPT),
        (failed_with(UnavailableError.code), HostOutcome.KEPT),
        (failed_with(RuntimeEndedError.code), None),
        (replace(OF_WEB, host=HostIdentity(name="web2")), None),
        (replace(OF_WEB, host=None), None),
        (replace(OF_WEB, target_seconds=1.0), None),
        (of_web("node:"), None),
        (replace(OF_WEB, results=OF_WEB.results[:1]), None),
    ],
    ids=["whole", "library", "ended", "host", "nameless", "target", "runtime", "hasher"],
)
def test_only_a_whole_answer_of_the_host_is_kept(
    tmp_path: Path, profile: Profile, outcome: HostOutcome | None
) -> None:
    """A profile counts if this host measured, or tried, each hasher for this target."""
    assert outcome is looked(tmp_path, profile)


def test_a_runtime_that_ended_fails_its_host_and_keeps_what_was_there(tmp_path: Path) -> None:
    """Half a measurement replaces no whole one; the reason is the runtime's."""
    path = tmp_path / WEB.file_name
    save_profile(OF_WEB, path, typed=False)
    fleet = Folder(path=tmp_path, wanted=WANTED)
    broken = failed_with(RuntimeEndedError.code)
    fleet.take(Ended(host=WEB, seconds=2.0, profile=broken))

    result = fleet.results[WEB]
    assert (HostOutcome.FAILED, "Python: made up") == (result.outcome, result.error)
    assert load_profile(path) == OF_WEB


def test_a_run_that_measured_nothing_says_why() -> None:
    """Without any measurement the first failure is the host's."""
    assert "Python: made up" == WANTED.problem_of(failed_with(UnavailableError.code, alone=True))
    assert WANTED.problem_of(OF_WEB) is None


def test_a_measured_host_is_saved_under_its_own_name(tmp_path: Path) -> None:
    """A host is called what the user calls it, whatever it calls itself."""
    fleet = Folder(path=tmp_path, wanted=WANTED)
    itself = replace(OF_WEB, host=HostIdentity(name="localhost", id="a" * 64))
    fleet.take(Ended(host=WEB, seconds=2.0, profile=itself))

    saved = load_profile(tmp_path / WEB.file_name)
    assert HostIdentity(name="web1", id="a" * 64) == saved.host
    assert HostOutcome.MEASURED is fleet.results[WEB].outcome
    assert saved.created == fleet.results[WEB].created
