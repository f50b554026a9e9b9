"""Which samples saw a quiet core, and what earlier runs add."""

from __future__ import annotations

import random
import statistics
from collections.abc import Sequence

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakes import LINEAR
from hashcost.core.measurement import CostModel, Curve, Fit, Interval, Reading, Sample, SeenBy
from hashcost.fit.quiet_speed import (
    AGREE,
    FEWEST_READINGS,
    Earlier,
    agreeing,
    marked,
    quiet_ratio,
    settle,
    shared_speed,
    visits_agree,
)
from strategies import fits

QUIET, SHARED = 1.0, 1.5
"""Ratios of the probe."""
DRIFT = 0.02

_close = st.floats(min_value=1 - AGREE / 3, max_value=1 + AGREE / 3)
"""Runs on a quiet machine, beside a rate of one."""
_far = st.one_of(
    st.floats(min_value=0.1, max_value=1 - 2 * AGREE), st.floats(min_value=1.2, max_value=10.0)
)
"""A run that agrees with none of those."""


def _readings(*ratios: float, every: float = 0.01) -> list[Reading]:
    """Readings of these ratios, so many seconds apart."""
    return [
        Reading(at_seconds=index * every, latency_seconds=1e-3, throughput_seconds=1e-3 * ratio)
        for index, ratio in enumerate(ratios)
    ]


def _sample(at: float, seconds: float = 2e-3, *, shared: bool | None = None) -> Sample:
    return Sample(
        params={"rounds": 1000},
        cpu_seconds=seconds,
        wall_seconds=seconds,
        at_seconds=at,
        shared=shared,
    )


def _curve(
    rate: float, seen_by: SeenBy = SeenBy.THIS_RUN, interval: Interval | None = (0.99, 1.01)
) -> Curve:
    """What a run made of its samples."""
    model = CostModel(
        parameter=LINEAR.name,
        scale=LINEAR.scale,
        overhead_seconds=rate / 10,
        seconds_per_unit=rate,
    )
    return Curve(
        params={LINEAR.name: 1},
        knob=LINEAR,
        model=model,
        relative_interval=interval,
        step_seconds={1: rate},
        seen_by=seen_by,
    )


def _settled(curve: Curve, *past: float, drift: float = DRIFT) -> Curve:
    """The same beside earlier runs."""
    (found,) = settle(Fit(curves=(curve,)), drift, [Earlier(past)]).curves
    return found


def _rate(curve: Curve) -> float:
    return curve.model.seconds_per_unit


def _width(curve: Curve) -> float:
    assert curve.relative_interval is not None
    return curve.relative_interval[1] - curve.relative_interval[0]


def _quiet_runs(count: int, seed: int = 1) -> list[float]:
    """Earlier runs on a quiet machine."""
    chance = random.Random(seed)
    return [chance.gauss(1.0, DRIFT / 2) for _ in range(count)]


class TestMarked:
    """Which samples were taken while the core was shared."""

    @pytest.mark.parametrize("nothing", ["no ratio", "no readings"])
    def test_without_readings_nothing_tells(self, nothing: str) -> None:
        """Where the quiet ratio is unknown or no reading was taken, samples say nothing."""
        readings = _readings(QUIET) if nothing == "no ratio" else []
        found = marked([_sample(0.0)], readings, None if nothing == "no ratio" else QUIET)
        assert (_sample(0.0),) == found

    @pytest.mark.parametrize(
        ("before", "after", "shared"),
        [
            (QUIET, QUIET, False),
            (SHARED, QUIET, True),
            (QUIET, SHARED, True),
            (SHARED, SHARED, True),
        ],
    )
    def test_the_readings_around_a_sample_tell(
        self, before: float, after: float, shared: bool
    ) -> None:
        """A sample is quick if the core was quiet before it and just after it."""
        readings = _readings(SHARED, before, after, SHARED)
        (found,) = marked([_sample(0.012, seconds=8e-3)], readings, QUIET)
        assert shared is found.shared

    def test_a_reading_long_after_a_sample_does_not_tell(self) -> None:
        """A neighbour that comes later has not slowed a sample."""
        (found,) = marked([_sample(0.0)], _readings(QUIET, SHARED, every=1.0), QUIET)
        assert found.shared is False

    def test_a_reading_inside_a_long_stretch_tells(self) -> None:
        """Where several readings fall around a sample, any of them may tell of a neighbour."""
        readings = _readings(QUIET, SHARED, QUIET)
        (found,) = marked([_sample(0.0, seconds=0.02)], readings, QUIET)
        assert found.shared

    def test_the_ends_of_a_run_are_told_by_the_nearest_reading(self) -> None:
        """Before the first reading and after the last, that one tells."""
        readings = [msgspec.structs.replace(each, at_seconds=1.0) for each in _readings(SHARED)]
        assert [True, True] == [
            each.shared for each in marked([_sample(0.0), _sample(2.0)], readings, QUIET)
        ]

    @given(st.floats(min_value=0.1, max_value=10.0), st.lists(st.booleans(), min_size=2))
    def test_nothing_else_of_a_sample_changes(self, quiet: float, states: list[bool]) -> None:
        """Whatever the probe's quiet ratio, each sample is told apart and otherwise left."""
        readings = _readings(*(quiet * (SHARED if state else QUIET) for state in states))
        samples = [_sample(index * 0.01 + 0.001, seconds=9e-3) for index in range(len(states) - 1)]
        expected = tuple(
            msgspec.structs.replace(sample, shared=one or other)
            for sample, one, other in zip(samples, states, states[1:], strict=False)
        )
        assert expected == marked(samples, readings, quiet)


class TestQuietRatio:
    """What the probe's two parts take on a quiet core."""

    @pytest.mark.parametrize("known", [None, 0.9])
    def test_few_readings_tell_nothing(self, known: float | None) -> None:
        """Before there are enough readings, only earlier runs tell."""
        assert known == quiet_ratio(_readings(*[QUIET] * (FEWEST_READINGS - 1)), known)

    @given(st.integers(3, 50), st.integers(0, 50), st.randoms())
    def test_of_two_speeds_the_quicker_is_quiet(
        self, quiet: int, shared: int, order: random.Random
    ) -> None:
        """Without earlier runs the lower of two clusters is quiet, if it was seen often."""
        ratios = [QUIET] * (quiet + shared // 4 + FEWEST_READINGS) + [SHARED] * shared
        order.shuffle(ratios)
        assert quiet_ratio(_readings(*ratios)) == QUIET

    def test_without_earlier_runs_one_speed_is_taken_for_quiet(self) -> None:
        """A run that sees but one speed cannot tell which it is."""
        assert quiet_ratio(_readings(*[SHARED] * 20)) == SHARED

    @pytest.mark.parametrize("seen", [QUIET, QUIET * (1 - AGREE / 2), SHARED])
    def test_earlier_runs_know_better(self, seen: float) -> None:
        """What earlier runs saw stands, also where this one saw only a shared core."""
        assert quiet_ratio(_readings(*[seen] * 20), QUIET) == QUIET

    def test_a_lower_ratio_than_earlier_runs_is_believed(self) -> None:
        """Nothing but quiet lowers the ratio."""
        assert quiet_ratio(_readings(*[QUIET] * 20), SHARED) == QUIET

    def test_a_fluke_is_not_the_quiet_ratio(self) -> None:
        """One reading of many that is too low to be true does not make the others shared."""
        found = quiet_ratio(_readings(0.1, *[QUIET] * 30))
        assert found == QUIET
        assert quiet_ratio(_readings(0.1, *[QUIET] * 30), QUIET) == QUIET


class TestVisitsAgree:
    """Whether the machine was as quick later as it was before."""

    def test_readings_as_quick_agree(self) -> None:
        """Visits agree where the earlier and the later readings are alike."""
        assert visits_agree(_readings(*[QUIET, QUIET * (1 + AGREE / 2)] * 8))

    def test_readings_of_another_speed_do_not(self) -> None:
        """They do not where the machine became quicker or slower meanwhile."""
        assert not visits_agree(_readings(*[QUIET] * 8, *[QUIET * (1 + 2 * AGREE)] * 8))
        assert not visits_agree(_readings(*[QUIET * (1 + 2 * AGREE)] * 8, *[QUIET] * 8))


class TestSharedSpeed:
    """What sharing the core does to a hasher."""

    def test_both_speeds_were_seen(self) -> None:
        """The factor is that between the two speeds, the share that of the shared samples."""
        samples = [_sample(0.0, 2e-3, shared=False)] * 6 + [_sample(0.0, 3e-3, shared=True)] * 2
        found = shared_speed(samples * 2)
        assert found is not None
        assert found.factor == pytest.approx(1.5)
        assert found.share == 0.25

    @pytest.mark.parametrize(
        "samples",
        [
            [],
            [_sample(0.0)] * 20,
            [_sample(0.0, shared=False)] * 20,
            [_sample(0.0, shared=True)] * 20,
            [_sample(0.0, shared=True), *[_sample(0.0, shared=False)] * 20],
        ],
        ids=["no sample", "no probe", "only quiet", "only shared", "hardly seen"],
    )
    def test_one_speed_tells_nothing(self, samples: list[Sample]) -> None:
        """Where one of the speeds was hardly seen, there is no factor."""
        assert shared_speed(samples) is None

    def test_a_hasher_that_does_not_notice_is_not_made_quicker(self) -> None:
        """Sharing never makes a hash quicker."""
        samples = [_sample(0.0, 2e-3, shared=False)] * 6 + [_sample(0.0, 1.9e-3, shared=True)] * 6
        found = shared_speed(samples)
        assert found is not None
        assert found.factor == 1.0


class TestAgreeing:
    """Which earlier runs tell how quick the machine is now."""

    def test_no_runs_tell_nothing(self) -> None:
        """Without a run there is nothing to tell."""
        assert agreeing([]) == []

    @given(st.lists(_close, min_size=1, max_size=40))
    def test_runs_that_agree_all_tell(self, rates: list[float]) -> None:
        """Where all runs lie close together, all of them count."""
        assert sorted(rates) == sorted(agreeing(rates))

    @given(st.lists(_close, min_size=2, max_size=40), _far, st.integers(0, 40))
    def test_a_single_outlier_changes_nothing(
        self, rates: list[float], outlier: float, place: int
    ) -> None:
        """One run that lies far off, quicker or slower, whenever it was, is left out."""
        spoilt = [*rates[:place], outlier, *rates[place:]]
        assert sorted(rates) == sorted(agreeing(spoilt))

    @given(st.lists(_close, min_size=5, max_size=20), st.lists(_far, max_size=2), st.randoms())
    def test_order_does_not_matter_but_for_chapters(
        self, rates: list[float], others: list[float], order: random.Random
    ) -> None:
        """Whatever the order of the runs, the same count, unless the last ones begin a chapter."""
        shuffled = [*rates, *others]
        order.shuffle(shuffled)
        assert sorted(agreeing([*others, *rates])) == sorted(agreeing(shuffled))

    @given(
        st.lists(_close, min_size=4, max_size=40),
        st.lists(_close, min_size=3, max_size=3),
        st.sampled_from([0.5, 1.5, 3.0]),
    )
    def test_three_that_agree_begin_a_new_chapter(
        self, before: list[float], after: list[float], factor: float
    ) -> None:
        """Three runs in a row that agree, and not with those before, tell the speed now."""
        moved = [factor * each for each in after]
        assert sorted(before) == sorted(agreeing([*before, *moved[:2]]))
        assert sorted(moved) == sorted(agreeing([*before, *moved]))
        assert sorted(before) == sorted(agreeing([*before, *moved], lasting=False))

    def test_three_that_disagree_begin_none(self) -> None:
        """The last three runs begin nothing where they do not agree with each other."""
        before = [1.0, 1.01, 1.02, 1.0]
        assert sorted(before) == sorted(agreeing([*before, 1.5, 2.0, 3.0]))

    @pytest.mark.parametrize("rates", [[1.0, 1.5], [1.5, 1.0], [1.5, 1.0, 1.5, 1.0]])
    def test_of_as_many_the_quicker_tell(self, rates: Sequence[float]) -> None:
        """Where as many runs were quick as slow, the quick ones count."""
        assert {1.0} == {*agreeing(rates)}


class TestSettle:
    """This run and those before it."""

    def test_without_a_past_the_rate_is_its_own(self) -> None:
        """The first run keeps its rate; how far runs lie apart makes its interval wider."""
        found = _settled(_curve(1.0))
        assert (SeenBy.THIS_RUN, 0, 1.0) == (found.seen_by, found.earlier_runs, _rate(found))
        assert found.relative_interval is not None
        assert found.relative_interval[0] <= 1 - DRIFT < 1 + DRIFT <= found.relative_interval[1]

    def test_a_slow_run_without_a_past_says_that_nobody_saw_the_core_quiet(self) -> None:
        """Where neither this run nor an earlier one saw a quiet core, nobody did."""
        found = _settled(_curve(1.5, SeenBy.NOBODY))
        assert (SeenBy.NOBODY, 1.5) == (found.seen_by, _rate(found))

    def test_earlier_runs_that_agree_are_pooled(self) -> None:
        """Earlier runs steady the rate and narrow the interval, and say how many they are."""
        past = _quiet_runs(20)
        first, found = _settled(_curve(1.03), drift=0.1), _settled(_curve(1.03), *past, drift=0.1)
        assert found.earlier_runs == 20
        assert abs(_rate(found) - statistics.median(past)) < 0.03
        assert _width(found) < _width(first)

    def test_an_earlier_run_that_was_exactly_as_quick_counts(self) -> None:
        """Earlier runs count however close to this one they are."""
        assert _settled(_curve(1.0), 1.0, 1.0, 1.01).earlier_runs == 3

    @pytest.mark.parametrize("slow", [1.4, 1.7, 4.0])
    def test_one_slow_run_does_not_spoil_later_ones(self, slow: float) -> None:
        """A slow run in a long history changes rate and width by less than a tenth."""
        past = _quiet_runs(20)
        for place in (0, 10, 20):
            spoilt = [*past[:place], slow, *past[place:]]
            clean, found = _settled(_curve(1.0), *past), _settled(_curve(1.0), *spoilt)
            assert _rate(clean) == pytest.approx(_rate(found), rel=DRIFT)
            assert _width(clean) == pytest.approx(_width(found), rel=0.1)

    @pytest.mark.parametrize("past", [[1.0], _quiet_runs(20)], ids=["one run", "many"])
    def test_a_run_that_saw_only_a_shared_core_takes_the_earlier_rate(
        self, past: list[float]
    ) -> None:
        """A run in which no core was seen quiet says what earlier ones did."""
        for own in (1.5, 1.0):
            found = _settled(_curve(own, SeenBy.NOBODY), *past)
            assert (SeenBy.EARLIER_RUNS, len(past)) == (found.seen_by, found.earlier_runs)
            assert _rate(found) == pytest.approx(statistics.median(past))
            assert found.relative_interval is not None
            low, high = found.relative_interval
            assert low <= 1 - DRIFT / 2 < 1 + DRIFT / 2 <= high

    @given(st.lists(_close, min_size=1, max_size=20), st.floats(min_value=0.0, max_value=0.05))
    def test_a_run_that_saw_nothing_is_no_surer(self, past: list[float], drift: float) -> None:
        """A run that only repeats what earlier ones saw is no surer than one that agrees."""
        widths = [
            _width(_settled(curve, *past, drift=drift))
            for curve in (
                _curve(1.5, SeenBy.NOBODY),
                _curve(statistics.median(past), interval=(1.0, 1.0)),
            )
        ]
        assert widths[0] >= widths[1]

    def test_a_run_that_thought_itself_quiet_takes_the_earlier_rate(self) -> None:
        """A run that is much slower than many earlier ones was slow, whatever the probe said."""
        found = _settled(_curve(1.5), *_quiet_runs(20))
        assert found.seen_by is SeenBy.EARLIER_RUNS
        assert _rate(found) == pytest.approx(1.0, abs=DRIFT)

    @pytest.mark.parametrize("past", [[1.5], [1.5, 1.45, 1.52] * 5], ids=["one run", "many"])
    def test_a_quicker_run_than_any_before_is_believed(self, past: list[float]) -> None:
        """Nothing makes a hash quicker than it is, so a quicker run is the one to believe."""
        found = _settled(_curve(1.0), *past)
        assert (SeenBy.THIS_RUN, 1.0) == (found.seen_by, _rate(found))

    def test_the_third_slow_run_is_the_speed_now(self) -> None:
        """A machine that became slower is believed once three runs agree on it."""
        past = _quiet_runs(20)
        second = _settled(_curve(1.3), *past, 1.31)
        third = _settled(_curve(1.3), *past, 1.31, 1.29)
        assert (SeenBy.EARLIER_RUNS, SeenBy.THIS_RUN) == (second.seen_by, third.seen_by)
        assert _rate(third) == pytest.approx(1.3, rel=0.02)

    @pytest.mark.parametrize(
        ("own", "told"),
        [
            pytest.param(None, 2.0, id="a pass that this run did not time"),
            pytest.param(2.06, 2.0, id="one that agrees"),
            pytest.param(2.9, 2.0, id="one that was slowed"),
            pytest.param(1.7, 1.7, id="one that was quicker"),
        ],
    )
    def test_earlier_runs_know_further_passes(self, own: float | None, told: float) -> None:
        """A further pass is told by whole hashes of earlier runs, unless this one's is quicker."""
        steps = {} if own is None else {2: own}
        curve = msgspec.structs.replace(_curve(1.0), step_seconds=steps)
        past = Earlier([1.0, 1.0], steps={2: (1.98, 2.0, 2.02)})
        (found,) = settle(Fit(curves=(curve,)), DRIFT, [past]).curves
        assert found.seconds(2) == pytest.approx(told, rel=0.01)
        assert _rate(found) == pytest.approx(1.0)

    @given(
        fits(),
        st.sampled_from(SeenBy),
        st.floats(min_value=0.0, max_value=1.0),
        st.lists(st.floats(min_value=1e-12, max_value=1e9), max_size=12),
    )
    def test_whatever_the_past_the_fit_stays_a_fit(
        self, fitted: Fit, seen_by: SeenBy, drift: float, past: list[float]
    ) -> None:
        """Every time at every cost changes by one factor, and lies inside its interval."""
        curves = tuple(msgspec.structs.replace(each, seen_by=seen_by) for each in fitted.curves)
        settled = settle(Fit(curves=curves), drift, [Earlier(past)] * len(curves))
        for before, after in zip(curves, settled.curves, strict=True):
            factor = _rate(after) / _rate(before)
            assert factor > 0
            for value in (before.lowest, *before.step_seconds):
                assert after.seconds(value) == pytest.approx(factor * before.seconds(value))
            if after.relative_interval is not None:
                assert 0 <= after.relative_interval[0] <= 1 <= after.relative_interval[1]
