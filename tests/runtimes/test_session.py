"""A probe is started, asked and ended, whatever it or the shell before it does."""

import contextlib
import os
import shutil
import signal
import stat
import sys
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Final

import msgspec
import pytest

from corpora import table
from end_to_end.command import TIMEOUT_SECONDS
from hashcost.core.errors import InconclusiveError, UnavailableError
from hashcost.core.profile import Failure, Profile
from hashcost.hashers.interface import check_known_answers
from hashcost.hashers.registry import candidates
from hashcost.machine.host import Host, this_host
from hashcost.measure.effort import FAST
from hashcost.measure.request import Request
from hashcost.recommend.calibration import calibrate
from hashcost.runtimes import session
from hashcost.runtimes.hasher import RuntimeHasher
from hashcost.runtimes.processes import Runtimes
from hashcost.runtimes.remote_host import RemoteSystem
from hashcost.runtimes.session import Timeouts
from hashcost.runtimes.table import RUNTIMES, Location
from runtimes import IMPATIENT, fake, loaded

LABEL = "pbkdf2-sha256@node:crypto"
PASSWORD, SALT = b"password", b"sixteenBytesSalt"
SETTING: Final = {"memory_kib": 1000, "time_cost": 1, "parallelism": 1}


@pytest.fixture(autouse=True)
def nothing_is_left() -> Iterator[None]:
    """No process outlives its session."""
    yield
    assert not session._live


def calibrated(
    elsewhere: Runtimes,
    *names: str,
    runtime: str = "node",
    target: float = 0.04,
    host: Host | None = None,
) -> Profile:
    """A quick calibration with a runtime's hashers and this Python's."""
    with elsewhere:
        return calibrate(
            Request(target_seconds=target, hashers=names or (LABEL,), effort=FAST),
            host=host,
            pool=(*candidates(), *elsewhere.candidates(runtime)),
            probe=lambda _: None,
        )


def why(profile: Profile, label: str = LABEL) -> str:
    """Why a row has no result."""
    (row,) = (each for each in profile.results if each.label == label)
    assert isinstance(row, Failure)
    assert "\n" not in row.error
    return row.error


def behaving(folder: Path, mode: str) -> Runtimes:
    """A runtime whose probe behaves so; only what never answers is soon given up."""
    patience = {"silent": IMPATIENT, "hangs": Timeouts(answer=0.6, times_longest=0.0)}
    return Runtimes(Location(command=fake(folder, mode)), patience.get(mode, Timeouts()))


@pytest.mark.parametrize("mode", ["good", "greets"])
def test_a_probe_is_one_more_implementation(mode: str, tmp_path: Path) -> None:
    """Its times give the exact cost, with runtime, library and clock in the row.

    Lines of a shell before the greeting are passed over.
    """
    profile = calibrated(behaving(tmp_path, mode))
    (row,), (measurement,) = profile.recommendations, profile.measurements
    assert (LABEL, {"iterations": 400_000}) == (row.label, row.params)
    assert pytest.approx(0.04) == row.time_seconds
    assert "made up 1.0, fake 1.0" == measurement.implementation_version
    assert "fake clock" == measurement.clock


def kept(elsewhere: Runtimes) -> list[Collection[int]]:
    """The threads that a calibration keeps on its core."""
    found: list[Collection[int]] = []

    def on_one_core(threads: Collection[int]) -> contextlib.AbstractContextManager[None]:
        found.append(threads)
        return contextlib.nullcontext()

    calibrated(elsewhere, host=msgspec.structs.replace(this_host(), on_one_core=on_one_core))
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells the threads of a process")
def test_what_hashes_is_kept_on_the_core_that_is_watched(tmp_path: Path) -> None:
    """Of a process that was started here, every thread; of one that names its own, that."""
    assert [2] == [len(threads) for threads in kept(behaving(tmp_path, "threads"))]
    (named,) = kept(behaving(tmp_path, "threaded"))
    assert 1 == len(named)


@table("mode, problem")
def test_bad_luck_takes_away_only_its_own_rows(mode: str, problem: str, tmp_path: Path) -> None:
    """Each is told in one line, and rows of this Python stay."""
    profile = calibrated(behaving(tmp_path, mode), LABEL, "pbkdf2-sha256@hashlib", target=0.003)
    assert why(profile).startswith(problem.format(command=tmp_path / "runtime-absent"))
    assert ["pbkdf2-sha256@hashlib"] == [row.label for row in profile.recommendations]


def test_a_library_with_its_own_salt_must_accept_and_reject(tmp_path: Path) -> None:
    """One that accepts any password is not timed; one that tells them apart is."""
    label = "bcrypt@php:password_hash"
    told = why(calibrated(behaving(tmp_path, "gullible"), label, runtime="php"), label)
    assert "accepts another password" in told
    with behaving(tmp_path, "good") as elsewhere:
        check_known_answers(loaded(elsewhere, label))


def test_what_compiles_is_timed_once_it_is_warm(tmp_path: Path) -> None:
    """The first sixty hashes take three times as long; none of them counts."""
    with behaving(tmp_path, "compiles") as elsewhere:
        hasher = loaded(elsewhere, LABEL)
        hasher.library = msgspec.structs.replace(hasher.library, warm_seconds=1e-3)
        shares: list[float] = []
        hasher.prepare(PASSWORD, SALT, shares.append)
        sample = hasher.timed(PASSWORD, SALT, {"iterations": 1000})
    assert pytest.approx(1e-4) == sample.cpu_seconds
    assert sorted(shares) == shares
    assert len(shares) > 60


def in_java(elsewhere: Runtimes) -> RuntimeHasher:
    """A hasher that differs from one JVM to the next, after its warm-up."""
    hasher = loaded(elsewhere, "argon2id@java:bouncycastle")
    hasher.prepare(PASSWORD, SALT, lambda _: None)
    return hasher


def test_how_far_processes_disagree_is_known_of_each_hasher(tmp_path: Path) -> None:
    """A hasher whose times differ more from one JVM to the next gets its own, wider interval."""
    library = RUNTIMES["java"].libraries["bouncycastle"]
    assert library.drift != library.drifts["argon2id"]
    with behaving(tmp_path, "warm") as elsewhere:
        assert library.drifts["argon2id"] == in_java(elsewhere).drift
        usual = loaded(elsewhere, "pbkdf2-sha256@java:bouncycastle")
        assert library.drift == usual.drift


def test_a_heap_that_has_grown_is_filled_before_a_hash_is_timed(tmp_path: Path) -> None:
    """Of twenty hashes eight take eight times as long; none of them counts."""
    with behaving(tmp_path, "grows") as elsewhere:
        hasher = in_java(elsewhere)
        times = [hasher.timed(PASSWORD, SALT, SETTING).cpu_seconds for _ in range(30)]
    assert pytest.approx(30 * [1e-4]) == times


def test_a_heap_that_is_never_full_gives_no_number(tmp_path: Path) -> None:
    """What a hash takes then is not what it takes in an application."""
    with behaving(tmp_path, "swells") as elsewhere:
        hasher = in_java(elsewhere)
        with pytest.raises(InconclusiveError, match="still filling its heap after 10"):
            hasher.timed(PASSWORD, SALT, {**SETTING, "memory_kib": 1_000_000})


def test_a_session_that_failed_gives_the_same_reason_again(tmp_path: Path) -> None:
    """A dead process is not asked a second time."""
    with behaving(tmp_path, "leaves") as elsewhere:
        for _ in range(2):
            with pytest.raises(UnavailableError, match="has ended"):
                elsewhere.candidates("node")[0].load()


@pytest.mark.parametrize("name", ["dash", "bash", "busybox", "ksh", "zsh"])
def test_a_shell_that_reads_ahead_eats_nothing(name: str, tmp_path: Path) -> None:
    """Nothing is sent before the greeting, so all that is meant for the probe reaches it."""
    where = shutil.which(name)
    if where is None:
        pytest.skip(f"apt-get install {name}")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "sh").symlink_to(where)
    prefix = ("env", f"PATH={tmp_path / 'bin'}:{os.environ['PATH']}")
    place = Location(prefix=prefix, command=fake(tmp_path, "good"))
    profile = calibrated(Runtimes(place))
    assert {"iterations": 400_000} == profile.recommendations[0].params


_PROCESS: Final = "{value: {node: '14.21.3'}}"
OLD: Final = {
    "node": f"exec node -e \"Object.defineProperty(process, 'versions', {_PROCESS});$2\"",
    "ruby": 'exec ruby -W0 -e "RUBY_VERSION = \'2.4.10\'" "$@"',
    "python": 'exec python3 -c "import sys; sys.version_info = (3, 5); $2"',
}
"""What tells a probe that it is older than it is."""


@pytest.mark.parametrize("runtime", OLD)
def test_a_runtime_that_is_too_old_says_what_is_needed(runtime: str, tmp_path: Path) -> None:
    """In one line, instead of what fails first."""
    command = {"python": "python3"}.get(runtime, runtime)
    if shutil.which(command) is None:
        pytest.skip(f"install it with `{RUNTIMES[runtime].install}`")
    place = Location(command=script(tmp_path, OLD[runtime]))
    with (
        Runtimes(place) as elsewhere,
        pytest.raises(UnavailableError, match=r"does not start: it needs .* or newer, not "),
    ):
        elsewhere.session(runtime)


def script(folder: Path, text: str) -> str:
    """A program that stands for a prefix."""
    path = folder / "prefix"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


@pytest.mark.parametrize("is_behind", [False, True])
def test_a_program_gets_no_variable_that_is_not_for_it(
    is_behind: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A prefix gets the user's variables, a runtime only those that it reads, and neither ours."""
    for name in ("HASHCOST_DATABASE", "NPM_TOKEN", "NODE_PATH"):
        monkeypatch.setenv(name, "value")
    program = script(tmp_path, f"env >{tmp_path / 'given'}; exit 3")
    place = Location(prefix=(program,)) if is_behind else Location(command=program)
    with Runtimes(place) as elsewhere, pytest.raises(UnavailableError):
        elsewhere.session("node")
    given = {line.partition("=")[0] for line in (tmp_path / "given").read_text().splitlines()}
    assert {"PATH", "NODE_PATH"} <= given
    assert is_behind == ("NPM_TOKEN" in given)
    assert "HASHCOST_DATABASE" not in given


@table("text, problem", ids=["asks on the terminal", "asks on its input", "fails"])
def test_a_prefix_that_gives_no_shell(text: str, problem: str, tmp_path: Path) -> None:
    """There is no terminal to ask on; one that waits is not waited for."""
    place = Location(prefix=(script(tmp_path, text),), command=fake(tmp_path, "good"))
    patience = IMPATIENT if "within" in problem else Timeouts()
    told = why(calibrated(Runtimes(place, patience)))
    assert f"Node.js {problem}" in told


def test_words_of_the_user_are_no_shell_words(tmp_path: Path) -> None:
    """A folder and a command with quotes, spaces and dollars are taken as they are."""
    odd = tmp_path / "it's a $(touch x) `folder`"
    odd.mkdir()
    place = Location(project=str(odd), command=fake(odd, "good"))
    assert calibrated(Runtimes(place)).recommendations
    assert ["javac", "runtime-good"] == sorted(each.name for each in odd.iterdir())


def test_a_probe_is_ended_at_once_when_a_run_fails(tmp_path: Path) -> None:
    """After an interruption nothing waits for a probe that would say goodbye first."""
    elsewhere = behaving(tmp_path, "good")
    with contextlib.suppress(KeyboardInterrupt), elsewhere:
        process = elsewhere.session("node")._process
        raise KeyboardInterrupt
    assert -signal.SIGKILL == process.exit_code(TIMEOUT_SECONDS)


def test_a_probe_that_has_ended_has_no_threads(tmp_path: Path) -> None:
    """A probe that dies while its threads are counted has none, and its row says why later."""
    with behaving(tmp_path, "good") as elsewhere:
        hasher = loaded(elsewhere, LABEL)
        assert hasher.threads_here()
        elsewhere.session("node").kill()
        assert not hasher.threads_here()


def test_a_project_that_is_not_there(tmp_path: Path) -> None:
    """The option is named."""
    place = Location(project=str(tmp_path / "none"), command=fake(tmp_path, "good"))
    told = why(calibrated(Runtimes(place)))
    assert f"Node.js cannot enter the folder of --project, {tmp_path / 'none'}" == told


def test_a_project_that_is_no_folder_of_a_module(tmp_path: Path) -> None:
    """Go builds in a folder: where a file is named, the row says so."""
    jar = tmp_path / "app.jar"
    jar.touch()
    place = Location(project=str(jar))
    label = "bcrypt@go:x/crypto"
    told = why(calibrated(Runtimes(place), label, runtime="go"), label)
    assert f"go list in {jar}: Not a directory; name a folder of the module" == told


def test_a_wrong_hash_is_never_timed(tmp_path: Path) -> None:
    """A probe that computes something else fails its known answers."""
    (row,) = calibrated(behaving(tmp_path, "wrong")).results
    assert isinstance(row, Failure)
    assert "wrong-answer" == row.code


@pytest.mark.parametrize("number", ["²", "٣", "9" * 5000, "-1", "1e9", "0-3-5", "3-0", ",", ""])
def test_no_number_of_a_host_is_trusted(number: str) -> None:
    """What is no number, or beyond any machine, is unknown there."""
    folder = "sys/fs/cgroup"
    system = RemoteSystem(
        texts={
            "proc/self/status": f"Cpus_allowed_list:\t{number}\n",
            "proc/meminfo": f"MemTotal: {number} kB\nMemAvailable: {number} kB\n",
            "proc/stat": f"cpu {' '.join([number] * 9)}\n",
            "proc/thread-self/schedstat": f"1 {number}",
            **dict.fromkeys(("cpus", "page", f"{folder}/memory.max"), number),
            **dict.fromkeys((f"{folder}/memory.current", f"{folder}/cpu.stat"), number),
            f"{folder}/cpu.max": f"{number} {number}",
        }
    )
    told = system.describe()
    assert (1, None, None, None) == (
        *(told.cpu_count, told.page_bytes, told.memory_bytes, told.cpu_limit),
    )
    assert system.available_memory() is None
    assert not system.counters().run_queue_seconds
