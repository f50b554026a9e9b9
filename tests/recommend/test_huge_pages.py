"""What huge pages would give, and where there is nothing to be had."""

from typing import Any, Final

import msgspec
import pytest

from corpora import table
from fakes import TWO_CPUS
from hashcost.core.algorithms import strength_of
from hashcost.core.machine import HUGE_PAGES, Machine
from hashcost.core.measurement import GLIBC_FRESH, Fit, Surface
from hashcost.core.profile import Profile
from hashcost.fit.curves import curve_at
from hashcost.fit.model import Shape
from hashcost.fit.solver import answer
from hashcost.machine.linux import malloc_of, with_huge_pages
from hashcost.recommend.huge_pages import best_gain, depends_on, unavailable
from hashcost.recommend.recommendation import solve_again
from measured import HARD

TARGET = 0.1
ASKABLE = msgspec.structs.replace(TWO_CPUS, huge_pages="madvise", libc="glibc 2.36")


def fit_of(block: float = 0.7e-3, **terms: Any) -> Fit:
    """Curves of argon2id by a surface: ``block`` seconds a MiB and pass."""
    measurement = HARD.measurements[0]
    surface = Surface(block=block, sampled_bytes=(1 << 20, 128 << 20), error=(0.0,) * 16, **terms)
    shape = Shape(
        knobs=measurement.knobs,
        lowest=measurement.lowest,
        memory_bytes=lambda params: params["memory_kib"] * 1024,
    )
    steps = (19456, 30720, 37888, 47104, 57344, 65536, 81920, 98304, 131072)
    settings = [{**measurement.lowest, "memory_kib": step} for step in steps]
    return Fit(
        curves=tuple(curve_at(surface, shape, params, (0.05, 0.05)) for params in settings),
        surface=surface,
    )


def profile_of(machine: Machine = ASKABLE, **terms: Any) -> Profile:
    """A profile of argon2id on a machine, answered for 100 ms."""
    measurement = msgspec.structs.replace(HARD.measurements[0], fitted=fit_of(**terms))
    profile = msgspec.structs.replace(
        HARD, machine=machine, measurements=(measurement,), results=HARD.results[:1]
    )
    return solve_again(profile, TARGET)


SMALL: Final[dict[str, Any]] = {"fresh": 0.74e-3, "fresh_from_bytes": GLIBC_FRESH}


def test_the_gain_is_the_answer_with_cheaper_pages() -> None:
    """The same rule answers, with pages at an eighth of their time, and both prices are told."""
    profile = profile_of(fresh=0.5e-3, fresh_from_bytes=GLIBC_FRESH)
    gain = best_gain(profile)
    assert gain is not None
    cheaper = fit_of(fresh=0.13 * 0.5e-3, fresh_from_bytes=GLIBC_FRESH)
    before, after = (strength_of("argon2id", params) for params in (gain.row.params, gain.params))

    assert gain.params == answer("argon2id", cheaper, TARGET).chosen.params
    assert gain.times >= 1.3
    assert gain.times == pytest.approx(after.product / before.product)
    assert (gain.on_gpu, gain.on_hardware) == pytest.approx(
        (after.gpu / before.gpu, after.hardware / before.hardware)
    )


@table("facts")
def test_nothing_is_promised_where_none_is_to_be_had(facts: dict[str, Any]) -> None:
    """By the kernel's mode, the libc, the allocator and what is set already."""
    assert best_gain(profile_of(**SMALL)) is not None
    assert best_gain(profile_of(msgspec.structs.replace(ASKABLE, **facts), **SMALL)) is None


def test_memory_that_is_reused_gains_nothing() -> None:
    """Without page faults there is nothing to save."""
    assert best_gain(profile_of()) is None


@pytest.mark.parametrize("block", [0.5e-3, 0.6e-3, 0.7e-3, 0.75e-3, 0.8e-3, 1e-3])
def test_huge_pages_have_no_rule_of_their_own(block: float) -> None:
    """The same times give the same answer, whatever pages they were taken with."""
    small, huge = (
        answer("argon2id", fit_of(block, huge_pages=asks), TARGET) for asks in (False, True)
    )
    assert small.chosen.params == huge.chosen.params


@table("facts, why")
def test_it_is_said_why_asking_is_in_vain(facts: dict[str, str], why: str) -> None:
    """Nothing is said where huge pages wait to be asked for."""
    assert why in unavailable(msgspec.structs.replace(ASKABLE, **facts))
    assert "" == unavailable(ASKABLE)


def test_a_row_depends_on_the_variable_from_32_mib_on() -> None:
    """Below, glibc reuses the memory; and only what takes it from malloc is concerned."""
    asking = msgspec.structs.replace(ASKABLE, malloc=HUGE_PAGES)
    (row,) = profile_of().recommendations

    assert unavailable(asking) == ""
    assert depends_on(asking, row.implementation, GLIBC_FRESH)
    assert not depends_on(ASKABLE, row.implementation, GLIBC_FRESH)
    assert not depends_on(asking, row.implementation, GLIBC_FRESH - 1)
    for mapped in ("libcrypt", "php:sodium", "java:bouncycastle", "java:jca", "go:x/crypto"):
        assert not depends_on(asking, mapped, GLIBC_FRESH)


@table("before, after")
def test_the_variable_is_merged_with_what_is_set(before: str | None, after: str) -> None:
    """Other tunables stay; what glibc cannot read goes."""
    environment = {"HOME": "/x"} | ({} if before is None else {"GLIBC_TUNABLES": before})
    merged = with_huge_pages(environment)

    assert {"HOME": "/x", "GLIBC_TUNABLES": after} == merged
    assert merged == with_huge_pages(merged)
    assert HUGE_PAGES in malloc_of(merged, "").split()
