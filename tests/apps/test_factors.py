"""The factor between a library and what is timed in its place, by CPU and by build."""

import datetime as dt
import tomllib
from pathlib import Path

import pytest
from msgspec.structs import replace

from apps.services import measured
from corpora import LIBRARIES, table
from hashcost.apps.references import Factor, Reference, vendor_of
from hashcost.apps.registry import library_from_toml, load_library, load_tunable
from hashcost.fit.times import setting_at
from hashcost.recommend.emission import emission_for
from hashcost.recommend.library_times import multiple_of
from tools.benchmarks.factor_data import write_factor
from tools.benchmarks.programs.cases import cases

DAY = dt.date(2026, 11, 22)
AMD = Factor(cpu="amd", factor=0.7, source="on AMD", measured=DAY)
INTEL = Factor(cpu="intel", factor=1.1, source="on Intel", measured=DAY)
EITHER = Reference(implementation="hashlib", factors=(AMD, INTEL))


@table("model, vendor")
def test_a_model_tells_its_vendor(model: str | None, vendor: str | None) -> None:
    """As Linux, Windows and others name them; what is not known is not guessed."""
    assert vendor_of(model) == vendor


@pytest.mark.parametrize(("model", "factor"), [("AMD EPYC", 0.7), ("Intel Xeon", 1.1)])
def test_the_factor_of_the_cpu_at_hand_is_taken(model: str, factor: float) -> None:
    """Only that one's source is told."""
    held = EITHER.on(model)
    assert held.least_factor == held.factor == factor
    assert held.source == f"on {model.split(maxsplit=1)[0]}"


@pytest.mark.parametrize(
    ("app", "hasher", "here", "elsewhere"),
    [
        ("django", "pbkdf2-sha256", "hashlib", "python:hashlib"),
        ("vaultwarden", "pbkdf2-sha256", "hashlib", "python:hashlib"),
        ("mkpasswd", "sha512-crypt", "libcrypt", "python:crypt"),
    ],
)
def test_the_same_library_in_another_python_stands_in(
    app: str, hasher: str, here: str, elsewhere: str
) -> None:
    """It is timed where this Python's is not, and the factors hold."""
    scheme = load_tunable(app).scheme(hasher)
    assert scheme is not None
    assert scheme.reference is not None
    found = scheme.run_by({f"{hasher}@{elsewhere}"}).reference
    both = {f"{hasher}@{elsewhere}", f"{hasher}@{here}"}

    assert found == replace(scheme.reference, implementation=elsewhere)
    assert scheme == scheme.run_by(both)


def test_on_another_cpu_the_range_is_told_and_the_highest_holds() -> None:
    """So that no target is exceeded; a later look at a known CPU still narrows it."""
    held = EITHER.on("Neoverse-N1")
    assert (held.least_factor, held.factor) == (0.7, 1.1)
    assert held.source == "on AMD; on Intel"
    assert held.on("AMD EPYC") == EITHER.on("AMD EPYC")


def test_a_factor_that_only_another_cpu_has_is_better_than_none() -> None:
    """Its source says on which it was timed."""
    held = Reference(implementation="hashlib", factors=(INTEL,)).on("AMD EPYC")
    assert (held.factor, held.source) == (1.1, "on Intel")


def test_builds_that_differ_make_a_range_on_every_cpu() -> None:
    """Each by the CPU at hand, where it was timed there."""
    old = Factor(build="old", cpu="intel", factor=2.0, source="timed", measured=DAY)
    new = Factor(build="new", cpu="intel", factor=1.0, source="timed", measured=DAY)
    other = Factor(build="new", cpu="amd", factor=1.5, source="timed", measured=DAY)
    either = Reference(implementation="hashlib", factors=(old, new, other))
    assert either.on("Intel Xeon").factors == (old, new)
    assert either.on("AMD EPYC").factors == (old, other)
    assert either.on("AMD EPYC").source == "old: timed; new: timed"


@pytest.mark.parametrize(
    ("memory_kib", "factor"), [(8, 1.2), (32767, 1.2), (32768, 0.6), (2**20, 0.6)]
)
def test_more_memory_has_another_factor(memory_kib: int, factor: float) -> None:
    """Where the memory is not told, the highest holds."""
    less = Factor(factor=1.2, source="of little memory")
    more = Factor(factor=0.6, from_kib=32768, source="of much memory")
    reference = Reference(implementation="argon2-cffi", factors=(less, more)).on(None)
    assert reference.at(memory_kib).factor == factor
    assert (reference.factor, reference.steps) == (1.2, (32768, 0))


def test_an_application_is_slowed_by_the_factor_of_its_cpu() -> None:
    """What `emit` and `check` multiply by, from the file to the scheme."""
    for model in ("AMD EPYC", "Intel Xeon"):
        scheme = load_tunable("laravel").on(model).scheme("bcrypt")
        assert scheme is not None
        assert scheme.reference is not None
        (factor,) = scheme.reference.factors
        assert factor.cpu == vendor_of(model)
        assert multiple_of(scheme) == factor.factor


@pytest.mark.parametrize("target", [0.01, 0.05, 0.25])
def test_what_is_emitted_is_timed_by_the_factor_of_its_memory(target: float) -> None:
    """Or by the highest, where each factor leads to a memory that has another."""
    app = load_tunable("keycloak").on("AMD EPYC")
    scheme = app.scheme("argon2id")
    assert scheme is not None
    _, measurement = measured(scheme, target=1.0)
    emission = emission_for(app, scheme, measurement, target, None)
    assert emission.scheme in (scheme.at(emission.params), scheme)
    here = setting_at(measurement, emission.params)
    assert here is not None
    assert emission.time_seconds == pytest.approx(here.seconds * multiple_of(emission.scheme))
    assert emission.time_seconds <= target


def test_what_was_measured_can_be_measured_again() -> None:
    """`tests.tools.benchmarks factors` has a case for each factor that was; others say why."""
    timed = {(case.library, case.hasher, case.build, case.from_kib) for case in cases()}
    for name in LIBRARIES:
        for hasher, hashing in load_library(name).hashers.items():
            assert "not measured" not in hashing.source
            for factor in hashing.factors:
                case = (name, hasher, factor.build, factor.from_kib)
                assert case in timed if factor.measured else factor.source


LIBRARY = """\
title = "a library"

[hashers.bcrypt]
implementation = "libcrypt"
"""


def test_what_is_measured_replaces_what_was_measured_on_such_a_cpu(tmp_path: Path) -> None:
    """The other CPU's figure stays, with all else in the file."""
    path = tmp_path / "library.toml"
    path.write_text(f"# Kept.\n{LIBRARY}factor = 3\nsource = 'guessed'\nchecked = 2026-01-01\n")
    for cpu, factor in (("Intel Xeon", 1.1), ("AMD EPYC", 0.6), ("AMD EPYC", 0.7123)):
        write_factor(
            path, "bcrypt", build="", cpu=cpu, factor=factor, source="timed", measured=DAY
        )
    text = path.read_text()
    hashing = library_from_toml(text).hashers["bcrypt"]
    found = [(each.cpu, each.factor) for each in hashing.factors]
    assert found == [("intel", 1.1), ("amd", 0.712)]
    assert text.startswith("# Kept.\n")
    assert {"implementation", "factors"} == {*tomllib.loads(text)["hashers"]["bcrypt"]}
