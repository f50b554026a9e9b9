"""In a container, by `docker exec -i`: hashes and limits of there."""

from __future__ import annotations

import json
import shlex
import subprocess
import time
from collections.abc import Iterator
from typing import Final

import pytest

from end_to_end.command import COMMAND, RAN, environment
from end_to_end.command import calibrate as run_command
from end_to_end.runtimes.elsewhere import Container, container
from end_to_end.runtimes.projects import AbsentError
from hashcost.core.errors import UnavailableError
from hashcost.runtimes.elsewhere import Elsewhere
from hashcost.runtimes.table import Place

pytestmark = pytest.mark.slow

MEMORY: Final = 256 << 20
ENOUGH_SECONDS: Final = 10.0
ATTACHED_SECONDS: Final = 0.5
"""Docker starts a process before it connects its input; an end before that may not reach it."""


@pytest.fixture(scope="module")
def app() -> Iterator[Container]:
    """A container with half a CPU."""
    try:
        with container(0.5, f"{MEMORY}") as found:
            yield found
    except AbsentError as error:
        pytest.skip(str(error))


def is_empty(found: Container) -> bool:
    """Whether nothing that was started in it runs, within a while."""
    deadline = time.monotonic() + ENOUGH_SECONDS
    while found.processes() and time.monotonic() < deadline:
        time.sleep(0.05)
    return not found.processes()


def test_the_command_in_a_container(app: Container) -> None:
    """The cost is one of there, under the limits of there, and nothing stays."""
    ended = run_command(
        *("sha512-crypt", "--in", "perl", "--exec", app.prefix),
        *("--target", "10ms", "--effort", "fast", "--format", "json"),
    )
    assert ended.code in RAN, ended.err
    profile = json.loads(ended.out)
    (row,) = profile["results"]
    assert ("perl:crypt", "measured") == (row["implementation"], row["status"])
    assert ("container", 0.05) == (
        profile["machine"]["virtualization"],
        profile["machine"]["cpu_limit"]["quota_seconds"],
    )
    assert is_empty(app)
    assert "" == app.run("ls", "-A", "tmp")


def test_a_probe_with_files_leaves_none(app: Container) -> None:
    """Java's is written there and removed."""
    with Elsewhere(Place(prefix=tuple(shlex.split(app.prefix)))) as elsewhere:
        try:
            elsewhere.session("java")
        except UnavailableError as error:
            pytest.skip(str(error))
        assert any("java" in each for each in app.processes())
        assert "" == app.run("sh", "-c", "ls -d tmp/hashcost* 2>/dev/null || true")
    assert is_empty(app)


def test_a_killed_command_leaves_nothing_in_a_container(app: Container) -> None:
    """The probe there ends with its input."""
    asked = ("sha512-crypt@perl:crypt", "--exec", app.prefix, "--target", "50ms")
    with subprocess.Popen(
        [COMMAND, *asked],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment(),
    ) as process:
        deadline = time.monotonic() + ENOUGH_SECONDS
        while not any("perl" in each for each in app.processes()):
            assert time.monotonic() < deadline
            time.sleep(0.05)
        time.sleep(ATTACHED_SECONDS)
        process.kill()
    assert is_empty(app)


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        (("exec -i", "exec"), "asked anything; docker and kubectl need exec -i"),
        (("exec -i", "exec -it"), "TTY"),
    ],
    ids=["without -i", "with -t"],
)
def test_the_wrong_options_of_docker(
    changed: tuple[str, str], problem: str, app: Container
) -> None:
    """One line, and exit code 4."""
    ended = run_command("bcrypt", "--in", "perl", "--exec", app.prefix.replace(*changed))
    assert (4, "", 1) == (ended.code, ended.out, ended.err.count("\n"))
    assert problem in ended.err
