"""Java's probe: what is shipped is its source compiled, and it finds the application's jars."""

import shutil
import zipfile
from pathlib import Path

import pytest
from msgspec.structs import replace

from end_to_end.real_programs import command, project
from hashcost.core.errors import InconclusiveError, UnavailableError
from hashcost.hashers.interface import check_known_answers
from hashcost.measure.runner import PROBE_PASSWORD, PROBE_SALT
from hashcost.runtimes import warming
from hashcost.runtimes.processes import Runtimes
from hashcost.runtimes.table import RUNTIMES, Location
from runtimes import IMPATIENT, loaded

LABELS = [
    f"{hasher}@java:{name}"
    for name, library in RUNTIMES["java"].libraries.items()
    for hasher in library.hashers
]
pytestmark = [pytest.mark.usefixtures("nothing_stays"), pytest.mark.slow]


def test_a_runtime_without_a_compiler_says_what_to_install(tmp_path: Path) -> None:
    """The probe is compiled where it runs, by the compiler beside Java or in the path."""
    for program in ("sh", "mktemp", "base64", "chmod", "rm", "true"):
        (tmp_path / program).symlink_to(shutil.which(program) or program)
    (tmp_path / "java").symlink_to("/bin/true")
    with (
        Runtimes(Location(prefix=("env", "-i", f"PATH={tmp_path}"))) as elsewhere,
        pytest.raises(UnavailableError, match="no javac; install it with `apt-get install"),
    ):
        loaded(elsewhere, "pbkdf2-sha256@java:jca")


def test_every_library_is_found() -> None:
    """Each is found among the application's jars, and named with its version."""
    with Runtimes(Location(project=str(project("java")))) as elsewhere:
        versions = {}
        for label in LABELS:
            found = loaded(elsewhere, label)
            versions[found.implementation] = found.version.partition(",")[0]
    assert versions["java:jca"] == "SunJCE"
    del versions["java:jca"]
    assert versions == {
        "java:spring": "spring-security-crypto-6.5.11",
        "java:bouncycastle": "bcprov-jdk18on-1.86",
        "java:password4j": "password4j-1.8.4",
        "java:jbcrypt": "jbcrypt-0.4",
        "java:favre": "bcrypt-0.10.2",
    }


def test_libraries_are_found_within_the_jar_of_an_application(tmp_path: Path) -> None:
    """Spring Boot's jar holds those of the libraries; no copy of them stays."""
    jar = tmp_path / "app.jar"
    with zipfile.ZipFile(jar, "w") as whole:
        for each in (project("java") / "target" / "dependency").glob("*.jar"):
            whole.write(each, f"BOOT-INF/lib/{each.name}")
    with Runtimes(Location(project=str(jar))) as elsewhere:
        for label in ("bcrypt@java:spring", "argon2id@java:spring", "bcrypt@java:favre"):
            check_known_answers(loaded(elsewhere, label))


def test_libraries_are_found_by_the_class_path(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the environment there, as Java itself reads it."""
    monkeypatch.setenv("CLASSPATH", f"{project('java')}/target/dependency/*")
    with Runtimes() as elsewhere:
        check_known_answers(loaded(elsewhere, "bcrypt@java:jbcrypt"))


def test_what_is_absent_is_said_with_what_to_do(tmp_path: Path) -> None:
    """The JDK's own is there all the same."""
    command("java")
    with Runtimes(Location(project=str(tmp_path))) as elsewhere:
        with pytest.raises(
            UnavailableError, match=r"BCrypt is not on the class path; .*--project"
        ):
            loaded(elsewhere, "bcrypt@java:spring")
        check_known_answers(loaded(elsewhere, "pbkdf2-sha256@java:jca"))


def test_a_hash_beyond_the_heap_takes_away_only_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """The heap is the application's, by its own options."""
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", "-Xmx32m")
    with Runtimes(Location(project=str(project("java")))) as elsewhere:
        found = loaded(elsewhere, "argon2id@java:bouncycastle")
        large = {"memory_kib": 65536, "time_cost": 1, "parallelism": 1}
        with pytest.raises(UnavailableError, match="one hash needs more than the heap"):
            found.timed(PROBE_PASSWORD, PROBE_SALT, large)
        check_known_answers(found)


def test_a_machine_that_is_too_slow_to_start_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The shell is told to end before it is killed, and removes what it has written."""
    slow = tmp_path / "java"
    slow.write_text("#!/bin/sh\nsleep 30\n")
    slow.chmod(0o700)
    (tmp_path / "javac").symlink_to("/bin/true")
    late = pytest.raises(UnavailableError, match="did not start within")
    with Runtimes(Location(command=str(slow)), IMPATIENT) as elsewhere, late:
        loaded(elsewhere, "pbkdf2-sha256@java:jca")


def test_a_cold_machine_gives_no_number(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without time to warm up, what it would take is not told."""
    command("java")
    monkeypatch.setattr(warming, "MOST_SECONDS", 0.0)
    with Runtimes() as elsewhere:
        found = loaded(elsewhere, "pbkdf2-sha256@java:jca")
        found.library = replace(found.library, warm_seconds=0.0)
        with pytest.raises(InconclusiveError, match="java was still warming up"):
            found.prepare(PROBE_PASSWORD, PROBE_SALT, lambda _: None)
