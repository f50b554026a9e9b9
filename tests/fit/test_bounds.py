"""What is known of a time that was not measured: that it is between two."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from checks import MEMORY_HARD, measurement_of
from hashcost.core.measurement import Sample
from hashcost.fit.times import is_fitted_to_samples, least_seconds_at, setting_at

ROW = measurement_of("argon2id@argon2-cffi", MEMORY_HARD)


@given(memory=st.integers(8, 2**32), passes=st.integers(1, 99), lanes=st.integers(1, 16))
def test_the_bound_is_at_most_the_time_by_as_many_lanes(
    memory: int, passes: int, lanes: int
) -> None:
    """What a hash takes at least is never more than with the lanes that were timed."""
    params = {"memory_kib": memory, "time_cost": passes, "parallelism": lanes}
    least = least_seconds_at(ROW, params)
    known = setting_at(ROW, {**params, "parallelism": ROW.lanes})
    assert (least is None) == (known is None)
    assert least is None or known is None or least <= known.seconds


def test_further_lanes_save_their_share_at_most() -> None:
    """Four lanes take a quarter of one at least."""
    params = {"memory_kib": 12288, "time_cost": 5, "parallelism": 4}
    assert pytest.approx(0.0575 / 4) == least_seconds_at(ROW, params)


@pytest.mark.parametrize(
    ("factor", "fits"), [(1.0, True), (1.5, True), (2.5, False), (0.4, False)]
)
def test_samples_lie_within_a_factor_of_two_of_the_model(factor: float, fits: bool) -> None:
    """A file in which they do not is damaged; a neighbour makes no hash slower than that."""
    setting = setting_at(ROW, ROW.lowest)
    assert setting is not None
    seconds = factor * setting.seconds
    own = Sample(params=ROW.lowest, cpu_seconds=seconds, wall_seconds=seconds)
    assert is_fitted_to_samples(replace(ROW, samples=(own,))) is fits


def test_short_samples_that_lanes_made_longer_damage_no_file() -> None:
    """The start of lanes takes longer than a short hash; the long ones tell what the file says."""
    short = Sample(params=ROW.lowest, cpu_seconds=0.0, wall_seconds=0.0)
    target = {"memory_kib": 12288, "time_cost": 5, "parallelism": 1}
    samples = []
    for params, factor, count in ((ROW.lowest, 3.0, 9), (target, 1.0, 1)):
        setting = setting_at(ROW, params)
        assert setting is not None
        seconds = factor * setting.seconds
        one = replace(short, params=params, cpu_seconds=seconds, wall_seconds=seconds)
        samples += [one] * count
    assert is_fitted_to_samples(replace(ROW, samples=tuple(samples)))


def test_one_long_sample_that_was_interrupted_damages_no_file() -> None:
    """Most samples agree; samples of no time at all agree with nothing."""
    setting = setting_at(ROW, ROW.lowest)
    assert setting is not None
    own = Sample(params=ROW.lowest, cpu_seconds=setting.seconds, wall_seconds=setting.seconds)
    long = replace(own, cpu_seconds=99.0, wall_seconds=99.0)
    none = replace(own, cpu_seconds=0.0, wall_seconds=0.0)
    assert is_fitted_to_samples(replace(ROW, samples=(own, own, long)))
    assert not is_fitted_to_samples(replace(ROW, samples=(none, none)))
