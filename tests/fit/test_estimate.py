"""Quiet times from samples of a busy core, and what earlier runs add."""

import math
import random
from collections.abc import Sequence
from functools import partial
from itertools import pairwise

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora import table
from fakes import LADDER, LINEAR, MIB, PAGE, PASSES, STEPS
from hashcost.core.errors import InconclusiveError
from hashcost.core.measurement import Doubt, Knob, Params, Reading, Sample, Timed
from hashcost.fit.estimate import Estimate, estimate
from hashcost.fit.level import FIRST, WANDER, Level, level_of, smoothed
from hashcost.fit.model import FILLING, Shape, _spare
from hashcost.fit.slowdown import FULL, sensitivity_of

CURVE = sensitivity_of("any", "library")
KNOWN = Level(quiet=(0.0, 0.0, 0.0), error=0.02, own=(0.0, 0.0, 0.0))
GLIBC = 32


def shape_of(*knobs: Knob) -> Shape:
    """A hasher with these knobs, whose steps are MiB."""
    first = knobs[0]
    lowest = {knob.name: knob.steps[0] if knob.steps else knob.minimum for knob in knobs}
    memory = (lambda params: params[first.name] * MIB) if first.is_ladder else (lambda _: 1024)
    return Shape(knobs=knobs, lowest=lowest, memory_bytes=memory, page_bytes=PAGE)


def sample(params: Params, seconds: float, *, slowdown: float = 1.0, fresh: int = 0) -> Sample:
    """A hash on a core that slowed it so much, given so many MiB afresh."""
    return Sample(
        params=params,
        cpu_seconds=seconds * slowdown,
        wall_seconds=seconds * slowdown,
        slowdown=slowdown,
        page_faults=fresh * MIB // PAGE,
    )


def estimated(
    shape: Shape,
    samples: Sequence[Sample],
    earlier: Sequence[Timed] = (),
    level: Level | None = KNOWN,
    drift: float = 0.0,
) -> Estimate:
    """The estimate by CPU time."""
    return estimate(
        shape,
        samples,
        seconds=lambda each: each.cpu_seconds,
        level=level,
        sensitivity=CURVE,
        drift=drift,
        earlier=earlier,
    )


def line(unit: float, overhead: float = 0.0, slowdown: float = 1.0) -> list[Sample]:
    """Hashes of a linear cost, at the lowest and at one that takes long enough."""
    return [
        sample({"rounds": count}, overhead + unit * count, slowdown=slowdown)
        for count in (1, 2000)
        for _ in range(12)
    ]


class TestLine:
    """A cost whose time is a line."""

    @given(unit=st.floats(1e-8, 1e-4), overhead=st.floats(0, 1e-3), slowdown=st.floats(1.0, 2.5))
    def test_what_slowed_the_samples_is_taken_away(
        self, unit: float, overhead: float, slowdown: float
    ) -> None:
        """However busy the core was, the quiet time is found."""
        (curve,) = estimated(shape_of(LINEAR), line(unit, overhead, slowdown)).fitted.curves
        assert curve.model.seconds_per_unit == pytest.approx(unit, rel=1e-6)
        assert curve.model.overhead_seconds == pytest.approx(overhead, rel=1e-3, abs=unit * 1e-2)

    def test_steps_double(self) -> None:
        """On a log2 scale a unit of work is two to the power of the cost."""
        samples = [sample({"cost": cost}, 1e-6 * 2**cost) for cost in (4, 10, 10, 10)]
        (curve,) = estimated(shape_of(STEPS), samples).fitted.curves
        assert curve.seconds(12) == pytest.approx(1e-6 * 2**12)

    def test_a_fluke_does_not_move_it(self) -> None:
        """A hash that took ten times as long, which no probe explains, hardly counts."""
        fluke = sample({"rounds": 2000}, 20e-3)
        (curve,) = estimated(shape_of(LINEAR), [*line(1e-6), fluke]).fitted.curves
        assert curve.model.seconds_per_unit == pytest.approx(1e-6, rel=0.005)

    def test_nothing_takes_less_than_no_time(self) -> None:
        """A lowest cost that was quicker than its share has no overhead."""
        samples = [*[sample({"rounds": 1000}, 0.9e-3)] * 6, *[sample({"rounds": 2000}, 2e-3)] * 6]
        (curve,) = estimated(shape_of(LINEAR), samples).fitted.curves
        assert curve.model.overhead_seconds == 0.0
        assert 0.9e-6 <= curve.model.seconds_per_unit <= 1e-6

    def test_no_samples_are_inconclusive(self) -> None:
        """A budget that ended before a hash was timed says so."""
        with pytest.raises(InconclusiveError, match="before a hash was timed"):
            estimated(shape_of(LINEAR), [])

    @pytest.mark.parametrize("seconds", [0.0, 5e-324, 1e-10])
    def test_a_clock_that_stands_still_is_inconclusive(self, seconds: float) -> None:
        """A clock too coarse for a hash says so."""
        with pytest.raises(InconclusiveError, match="too coarse"):
            estimated(shape_of(LINEAR), [sample({"rounds": 1}, seconds)])


def reach(found: Estimate) -> tuple[float, float]:
    """How far the interval of the first curve reaches down and up, in logarithms."""
    low, high = found.fitted.curves[0].relative_interval
    return -math.log(low), math.log(high)


class TestInterval:
    """Three terms, and a fourth where nothing tells the level."""

    def test_steady_samples_leave_the_level(self) -> None:
        """Of many samples that agree, what is left open is the level."""
        down, up = reach(estimated(shape_of(LINEAR), line(1e-6)))
        assert down == pytest.approx(up)
        assert 1.96 * 0.02 <= up <= 1.96 * 0.03

    @pytest.mark.parametrize(("error", "factor"), [(0.02, 1.0), (0.05, 2.5)])
    def test_it_grows_with_what_is_not_known_of_the_level(
        self, error: float, factor: float
    ) -> None:
        """A first run, which only knows its own level, has a wider interval."""
        level = Level(quiet=(0.0,) * 3, error=error, own=(0.0,) * 3)
        _, up = reach(estimated(shape_of(LINEAR), line(1e-6), level=level))
        _, known = reach(estimated(shape_of(LINEAR), line(1e-6)))
        assert up / known == pytest.approx(factor, rel=0.15)

    def test_it_holds_how_far_fresh_processes_disagree(self) -> None:
        """A compiler decides anew in each JVM."""
        _, up = reach(estimated(shape_of(LINEAR), line(1e-6), drift=0.1))
        assert 0.1 <= up <= 0.12

    def test_it_grows_with_the_correction(self) -> None:
        """The more is taken away, the more is not known: a share of it."""
        _, quiet = reach(estimated(shape_of(LINEAR), line(1e-6)))
        _, busy = reach(estimated(shape_of(LINEAR), line(1e-6, slowdown=2.0)))
        assert math.sqrt(busy**2 - quiet**2) == pytest.approx(
            1.96 * CURVE.unknown * math.log(2.0), rel=0.05
        )

    def test_it_grows_with_the_scatter_and_falls_with_the_samples(self) -> None:
        """Noisy samples leave more open, and more of them less."""
        chance = random.Random(1)
        noisy = [sample({"rounds": 2000}, 2e-3 * chance.lognormvariate(0, 0.2)) for _ in range(64)]
        few, many = (reach(estimated(shape_of(LINEAR), noisy[:n]))[1] for n in (8, 64))
        assert few > 1.5 * many
        assert many > reach(estimated(shape_of(LINEAR), line(1e-6)))[1]

    def test_it_is_lopsided_where_nobody_saw_the_core_quiet(self) -> None:
        """The time may be as much shorter as a fully shared core makes it longer."""
        level = Level(quiet=(0.0,) * 3, error=FIRST, may_be_shared=True, own=(0.0,) * 3)
        found = estimated(shape_of(LINEAR), line(1e-6), level=level)
        down, up = reach(found)
        assert down - up == pytest.approx(math.log(1.85), rel=0.15)
        assert found.doubt is not Doubt.NONE

    def test_threads_that_waited_are_no_change_of_the_machine(self) -> None:
        """The next run, which finds the CPUs quiet, takes half the time and is believed."""
        quiet = Level(quiet=(), error=0.1, own=())
        busy = Level(quiet=(), error=0.1, own=(), waited=math.log(2.0))
        earlier = estimated(shape_of(LINEAR), line(2e-6), level=busy).timed
        found = estimated(shape_of(LINEAR), line(1e-6), level=quiet, earlier=[earlier])
        assert found.doubt is Doubt.NONE
        assert found.fitted.curves[0].seconds(2000) == pytest.approx(2e-3, rel=0.15)

    def test_a_neighbour_slows_memory_by_less(self) -> None:
        """A core that is shared all the time slows argon2id by three tenths, and a probe that was
        quicker than on a quiet one lengthens the quiet time by a tenth of that probe at most.
        """
        curve = sensitivity_of("argon2id", "argon2-cffi")
        assert math.exp(curve.log_slowdown(FULL)) == pytest.approx(1.31, rel=0.03)
        quicker = curve.log_slowdown((0.0, math.log(0.5), 0.0))
        assert quicker == pytest.approx(curve.slopes[1] * math.log(0.9))

    def test_without_probes_it_is_as_lopsided_and_wider(self) -> None:
        """No probe tells anything of the core."""
        down, up = reach(estimated(shape_of(LINEAR), line(1e-6), level=None))
        assert up > 1.96 * 0.09
        assert down > up + 0.4


def surface(memory: int, passes: int) -> float:
    """What a hash in memory takes, in seconds: argon2id on an AMD EPYC (traces/surface)."""
    worked = memory * passes * (0.5e-3 + 0.036e-3 * math.log2(memory))
    return worked + 0.03e-3 * memory + 0.74e-3 * memory * (memory >= GLIBC)


def anchors(*settings: tuple[int, int]) -> list[Sample]:
    """One hash at each of these."""
    return [
        sample(
            {"memory": memory, "passes": passes},
            surface(memory, passes),
            fresh=memory if memory >= GLIBC else 0,
        )
        for memory, passes in settings
    ]


def one_pass(memory: int, *, fresh: int) -> Sample:
    """A hash of one pass that was given so many MiB afresh, whatever its size."""
    reused = surface(memory, 1) - 0.74e-3 * memory * (memory >= GLIBC)
    seconds = reused + 0.74e-3 * fresh
    return sample({"memory": memory, "passes": 1}, seconds, fresh=fresh)


SIX = ((1, 1), (4, 1), (8, 2), (16, 1), (32, 1), (32, 2), (64, 1))


class TestSurface:
    """A cost in memory."""

    @pytest.mark.parametrize(
        ("memory", "passes"), [(2, 3), (16, 4), (32, 3), (128, 1), (256, 2), (512, 1)]
    )
    def test_a_handful_of_anchors_tells_every_setting(self, memory: int, passes: int) -> None:
        """Also where no hash was timed, up to eight times as much memory."""
        fitted = estimated(shape_of(LADDER, PASSES), anchors(*SIX)).fitted
        curve = next(each for each in fitted.curves if each.params["memory"] == memory)
        assert curve.seconds(passes) == pytest.approx(surface(memory, passes), rel=0.04)

    def test_fresh_memory_has_its_price(self) -> None:
        """From where hashes get it afresh, it takes so much for each MiB."""
        found = estimated(shape_of(LADDER, PASSES), anchors(*SIX)).fitted.surface
        assert found is not None
        assert found.fresh_from_bytes == GLIBC * MIB
        assert found.fresh_seconds(64 * MIB) == pytest.approx(64 * 0.74e-3, rel=0.1)
        assert found.fresh_seconds(16 * MIB) == 0

    @pytest.mark.parametrize(("share", "is_fresh"), [(0.08, False), (0.12, True)])
    def test_a_tenth_of_the_memory_makes_a_hash_fresh(self, share: float, is_fresh: bool) -> None:
        """Less is what any process is given now and then."""
        faults = round(share * 16 * MIB / PAGE)
        own = msgspec.structs.replace(sample({"memory": 16, "passes": 1}, 1.0), page_faults=faults)
        assert shape_of(LADDER, PASSES).is_fresh(own) is is_fresh

    def test_the_first_hashes_of_a_size_say_nothing_of_later_ones(self) -> None:
        """Cold hashes, which any allocator gives fresh memory, are told from the others."""
        cold = sample({"memory": 16, "passes": 1}, surface(16, 1) + 16 * 0.74e-3, fresh=16)
        found = estimated(shape_of(LADDER, PASSES), [cold, *anchors(*SIX)]).fitted
        assert found.surface is not None
        assert found.surface.fresh_from_bytes == GLIBC * MIB
        curve = next(each for each in found.curves if each.params["memory"] == 16)
        assert curve.seconds(1) == pytest.approx(surface(16, 1), rel=0.03)

    @pytest.mark.parametrize(("memory", "mixed"), [(64, True), (16, False)])
    def test_pages_of_two_kinds_are_said(self, memory: int, mixed: bool) -> None:
        """A setting that is mapped afresh each time, once in huge pages and once in small ones,
        is two settings; below that an allocator merely begins to reuse its memory.
        """
        params = {"memory": memory, "passes": 1}
        two = [sample(params, surface(memory, 1), fresh=pages) for pages in (memory, 0)]
        found = estimated(shape_of(LADDER, PASSES), [*anchors(*SIX), *two])
        assert mixed is (found.doubt is Doubt.MIXED_PAGES)

    def test_memory_that_is_never_fresh_has_no_price(self) -> None:
        """With huge pages, or an allocator that keeps memory, a hash has hardly a fault."""
        reused = [
            sample({"memory": m, "passes": t}, surface(m, t) - 0.74e-3 * m * (m >= GLIBC))
            for m, t in SIX
        ]
        found = estimated(shape_of(LADDER, PASSES), reused).fitted.surface
        assert found is not None
        assert (found.fresh, found.fresh_from_bytes) == (0.0, None)

    @pytest.mark.parametrize("first", [0.55, 0.8, 1.0, 1.3])
    def test_the_first_pass_may_take_less_than_the_others(self, first: float) -> None:
        """Argon2's reads no earlier block."""
        samples = [
            sample({"memory": m, "passes": t}, 0.5e-3 * m * (first + t - 1))
            for m, t in ((1, 1), (1, 2), (8, 1), (8, 2), (16, 1), (16, 6))
        ]
        curve = estimated(shape_of(LADDER, PASSES), samples).fitted.curves[4]  # Of 16 MiB.
        expected = [8e-3 * (first + passes - 1) for passes in (1, 2, 6)]
        assert [*map(curve.seconds, (1, 2, 6))] == pytest.approx(expected, rel=0.02)

    def test_hashes_at_an_answer_tell_its_time_whatever_the_anchors_miss(self) -> None:
        """Small memory that lies in the caches widens no interval at the answer, nor moves it."""
        small = [
            sample({"memory": m, "passes": t}, surface(m, t) * quick)
            for m, t, quick in ((1, 1, 0.6), (1, 2, 1.3), (4, 1, 0.8), (4, 2, 1.2))
        ]
        at_answer = [sample({"memory": 16, "passes": 3}, surface(16, 3)) for _ in range(4)]
        found = estimated(shape_of(LADDER, PASSES), [*small, *anchors((16, 1)), *at_answer])
        curve = next(each for each in found.fitted.curves if each.params["memory"] == 16)
        assert curve.seconds(3) == pytest.approx(surface(16, 3), rel=0.03)
        plain = estimated(shape_of(LADDER, PASSES), [*anchors(*SIX, (16, 2)), *at_answer])
        like = next(each for each in plain.fitted.curves if each.params["memory"] == 16)
        assert curve.relative_interval[1] == pytest.approx(like.relative_interval[1], rel=0.01)

    def test_a_first_pass_and_cold_memory_correct_no_answer_of_several_passes(self) -> None:
        """What takes longer in them alone says nothing of a hash that makes more passes."""
        at_answer = [sample({"memory": 16, "passes": 3}, surface(16, 3)) for _ in range(4)]
        usual = estimated(shape_of(LADDER, PASSES), [*anchors(*SIX), *at_answer]).fitted
        slow = sample({"memory": 16, "passes": 1}, surface(16, 1) * 1.3)
        cold = sample({"memory": 16, "passes": 2}, surface(16, 2) * 1.3, fresh=16)
        odd = estimated(shape_of(LADDER, PASSES), [slow, cold, *anchors(*SIX), *at_answer]).fitted
        assert odd.surface is not None
        assert usual.surface is not None
        assert len(odd.surface.misses) == len(usual.surface.misses)

    @pytest.mark.parametrize(("filling", "spare"), [(-0.45, []), (-0.55, [FILLING])])
    def test_the_first_pass_takes_at_least_half_of_the_others(
        self, filling: float, spare: list[int]
    ) -> None:
        """It fills each block, for which the others read two: less is an error of timing."""
        assert _spare((1.0, 0.0, filling, 0.0), set()) == spare

    def test_the_interval_grows_beyond_what_was_timed(self) -> None:
        """The farther from the anchors, the less is known."""
        curves = estimated(shape_of(LADDER, PASSES), anchors(*SIX)).fitted.curves
        halves = {each.params["memory"]: each.relative_interval[1] for each in curves}
        assert halves[64] < halves[256] < halves[1024]

    def test_steps_with_nothing_to_turn_are_a_surface_too(self) -> None:
        """Yescrypt has a cost only: memory that doubles."""
        samples = [sample({"memory": step}, 1e-3 * step) for step in (1, 4, 16)]
        curves = estimated(shape_of(LADDER), samples).fitted.curves
        curve = next(each for each in curves if each.params["memory"] == 64)
        assert curve.seconds(64) == pytest.approx(64e-3, rel=0.05)

    @given(st.data())
    def test_more_never_takes_less(self, data: st.DataObject) -> None:
        """However noisy the samples, more memory and more passes take longer."""
        noise = st.floats(0.7, 1.5)
        samples = [
            sample({"memory": m, "passes": t}, surface(m, t) * data.draw(noise)) for m, t in SIX
        ]
        curves = estimated(shape_of(LADDER, PASSES), samples).fitted.curves
        for one, other in pairwise(curves):
            assert 0 < one.seconds(1) < one.seconds(2)
            assert one.seconds(1) < other.seconds(1)


def run(factor: float, earlier: Sequence[Timed] = ()) -> Estimate:
    """A run on a machine that takes so many times as long."""
    return estimated(shape_of(LINEAR), line(1e-6 * factor), earlier)


def runs(*factors: float) -> list[Timed]:
    """What several runs leave, each by itself."""
    return [run(factor).timed for factor in factors]


def seconds_of(found: Estimate) -> tuple[float, float, float]:
    """The estimate and the ends of its interval, as factors of the first machine's time."""
    (curve,) = found.fitted.curves
    low, high = curve.relative_interval
    middle = curve.model.seconds_per_unit / 1e-6
    return middle * low, middle, middle * high


class TestHistory:
    """Earlier runs sharpen, and yield."""

    def test_runs_that_agree_are_pooled(self) -> None:
        """The more agree, the narrower the interval, down to a limit."""
        widths = []
        for count in (0, 1, 3, 9):
            low, middle, high = seconds_of(run(1.01, runs(*[1.0] * count)))
            assert low < 1.0 < high
            assert 1.0 <= middle <= 1.01 + 1e-9
            widths.append(high - low)
        level = Level(quiet=(0.0,) * 3, error=FIRST, own=(0.0,) * 3)
        (first,) = estimated(shape_of(LINEAR), line(1e-6), level=level).fitted.curves
        assert (
            widths[3] < widths[2] < widths[1] < math.dist(*[[x] for x in first.relative_interval])
        )
        assert widths[3] > 2 * 1.96 * 0.0149

    @pytest.mark.parametrize("factor", [0.45, 0.8, 1.3, 2.3])
    def test_a_change_is_believed_by_the_third_run(self, factor: float) -> None:
        """From the first run the interval holds the truth; from the third it is the answer."""
        past = runs(1.0, 1.01, 0.99)
        for index in range(6):
            found = run(factor, past)
            low, middle, high = seconds_of(found)
            assert low <= factor <= high
            assert (found.doubt is Doubt.CHANGED) == (index < 2)
            if index < 2:
                assert low <= 1.0 <= high
            else:
                assert middle == pytest.approx(factor, rel=0.1)
                assert max(high / factor, factor / low) < 1.1
            past.append(found.timed)

    @pytest.mark.parametrize(
        ("latest", "doubt"),
        [((1.0, 2.0, 1.0), Doubt.NONE), ((1.0, 1.0, 2.0, 2.0), Doubt.CHANGED)],
        ids=["two of three", "two of four"],
    )
    def test_two_of_the_latest_three_runs_must_agree(
        self, latest: tuple[float, ...], doubt: Doubt
    ) -> None:
        """One odd run among them changes nothing, and those before the third do not count."""
        assert run(1.0, runs(2.0, 2.0, 2.0, 2.0, *latest)).doubt is doubt

    def test_hashes_of_microseconds_do_not_compare_runs(self) -> None:
        """Nor do a few longer ones that were interrupted: the many count."""
        slow = [
            sample({"rounds": count}, 3e-6 * count if count < 2000 else 1e-6 * count)
            for count in (1, 4, 16, 64, 256, 1024, 2000)
            for _ in range(24 if count == 2000 else 2)
        ]
        interrupted = estimated(shape_of(LINEAR), slow).timed
        assert run(1.0, [interrupted] * 3).doubt is Doubt.NONE

    @pytest.mark.parametrize(
        ("share", "doubt"), [(0.25, Doubt.NONE), (0.35, Doubt.CHANGED)], ids=["short", "long"]
    )
    def test_hashes_a_third_as_long_as_the_longest_compare_runs(
        self, share: float, doubt: Doubt
    ) -> None:
        """Shorter ones do not, however many."""
        short = sample({"rounds": round(2000 * share / 3)}, 2e-3 * share)
        samples = [sample({"rounds": 2000}, 2e-3)] * 9 + [short] * 24
        odd = estimated(shape_of(LINEAR), samples).timed
        assert run(1.0, [odd] * 3).doubt is doubt

    def test_the_price_of_fresh_memory_does_not_part_runs(self) -> None:
        """It changes with what the system does, while what reuses its memory takes the same."""
        made = partial(estimated, shape_of(LADDER, PASSES))
        usual = anchors((1, 1), (4, 1), (16, 1), (16, 4), (32, 1), (32, 2))
        dear = [
            msgspec.structs.replace(each, cpu_seconds=1.6 * each.cpu_seconds)
            if each.page_faults
            else each
            for each in usual
        ]
        assert made(usual, [made(dear).timed]).doubt is Doubt.NONE

    def test_memory_given_in_part_does_not_part_runs(self) -> None:
        """A hash that is given a third of its memory takes longer than one that is given none."""
        made = partial(estimated, shape_of(LADDER, PASSES))
        usual = anchors((1, 1), (4, 1), (16, 1), (64, 1), (64, 2))
        half = made([*usual, one_pass(31, fresh=13)])
        assert made([*usual, one_pass(31, fresh=0)], [half.timed]).doubt is Doubt.NONE

    def test_one_hash_does_not_part_runs(self) -> None:
        """The only one in reused memory may take a third longer, while all others agree."""
        made = partial(estimated, shape_of(LADDER, PASSES))
        usual = anchors((37, 1), (64, 1), (64, 2))
        single = one_pass(31, fresh=0)
        slow = msgspec.structs.replace(single, cpu_seconds=1.35 * single.cpu_seconds)
        assert made([*usual, single], [made([*usual, slow]).timed]).doubt is Doubt.NONE

    def test_hashes_that_contradict_each_other_do_not_part_runs(self) -> None:
        """Fresh memory that got dearer and reused memory that got cheaper are no other machine."""
        made = partial(estimated, shape_of(LADDER, PASSES))
        usual = anchors((8, 2), (16, 2), (37, 2), (64, 1), (64, 2))
        odd = [
            msgspec.structs.replace(
                each, cpu_seconds=each.cpu_seconds * (1.6 if each.page_faults else 0.6)
            )
            for each in usual
        ]
        assert made(usual, [made(odd).timed]).doubt is Doubt.NONE

    def test_a_surface_is_pooled_where_both_runs_timed_the_memory(self) -> None:
        """Memory that only an earlier run timed neither moves the surface nor makes it surer."""
        made = partial(estimated, shape_of(LADDER, PASSES))
        few = anchors((1, 1), (4, 1), (8, 1), (8, 2))
        alike = made(few, [made(few).timed] * 3)
        beyond = anchors((64, 1), (256, 1))
        dear = [msgspec.structs.replace(each, cpu_seconds=2 * each.cpu_seconds) for each in beyond]
        wider = made(few, [made([*few, *dear]).timed] * 3)
        assert (wider.earlier_runs, wider.doubt) == (3, Doubt.NONE)
        assert wider.fitted.surface is not None
        assert wider.fitted.surface.sampled_bytes == (MIB, 8 * MIB)
        assert [curve.seconds(2) for curve in wider.fitted.curves] == pytest.approx(
            [curve.seconds(2) for curve in alike.fitted.curves], rel=0.01
        )

    def test_runs_without_common_memory_do_not_judge_each_other(self) -> None:
        """A run at a long target and one at a short one have nothing to compare."""
        made = partial(estimated, shape_of(LADDER, PASSES))
        long = made(anchors((128, 1), (256, 1), (512, 2))).timed
        found = made(anchors((1, 1), (4, 1), (8, 2)), [long] * 3)
        assert (found.earlier_runs, found.doubt) == (0, Doubt.NONE)


def readings(*slower: tuple[float, float, float]) -> list[Reading]:
    """Readings of probes that take so many times their quiet times."""
    return [
        Reading(
            at_seconds=0.1 * index,
            throughput_seconds=3e-4 * a,
            latency_seconds=1e-3 * b,
            memory_seconds=6e-4 * c,
        )
        for index, (a, b, c) in enumerate(slower)
    ]


QUIET = tuple(map(math.log, (3e-4, 1e-3, 6e-4)))
RATIOS = (QUIET[0] - QUIET[1], QUIET[2] - QUIET[1])
FULLY = (2.0, 1.1, 1.3)


class TestLevel:
    """What the probes take on a quiet core."""

    def test_an_interrupted_probe_moves_no_other(self) -> None:
        """Nor the quiet ratios, which its length would lower."""
        steady, interrupted = [(1.0,) * 3] * 10, [(1.0, 1.9, 1.0)]
        level = level_of(smoothed(readings(*steady, *interrupted, *steady)), [QUIET] * 10)
        assert level == level_of(readings(*steady, (1.0,) * 3, *steady), [QUIET] * 10)

    def test_no_readings_tell_nothing(self) -> None:
        """Without a probe there is no level."""
        assert level_of([]) is None

    def test_earlier_runs_tell_a_core_that_is_always_shared(self) -> None:
        """A neighbour slows all three, together and by no more than so much."""
        level = level_of(readings(*[FULLY] * 20), [QUIET] * 10)
        assert level is not None
        assert level.quiet == pytest.approx(QUIET, abs=0.03)
        assert not level.may_be_shared
        assert level.error < FIRST

    def test_the_ratios_of_the_cpu_tell_it_to_a_first_run(self) -> None:
        """The level itself is then this run's, and known less well."""
        level = level_of(readings(*[FULLY] * 20), (), RATIOS)
        assert level is not None
        assert level.quiet == pytest.approx(QUIET, abs=0.1)
        assert not level.may_be_shared
        assert level.error == WANDER

    @table("spread, seconds, may_be")
    def test_without_either_it_may_be_shared(
        self, spread: float, seconds: float, *, may_be: bool
    ) -> None:
        """Unless its readings hardly scatter, or scatter far, or a neighbour had time to rest."""
        scattered = readings(*[(1.0,) * 3, (math.exp(spread), 1.0, 1.0)] * 10)
        level = level_of(
            [
                msgspec.structs.replace(each, at_seconds=each.at_seconds * seconds / 1.9)
                for each in scattered
            ]
        )
        assert level is not None
        assert level.may_be_shared is may_be

    def test_a_run_that_saw_both_tells_them_apart(self) -> None:
        """Readings from quiet to fully shared leave nothing unseen."""
        level = level_of(readings(*[(1.0, 1.0, 1.0), FULLY] * 10))
        assert level is not None
        assert level.quiet == pytest.approx(QUIET, abs=0.06)
        assert not level.may_be_shared

    @table("slower")
    def test_what_no_neighbour_does_is_another_machine(
        self, slower: tuple[float, float, float]
    ) -> None:
        """Another library, another clock: the run's own level stands."""
        level = level_of(readings(*[slower] * 20), [QUIET] * 10)
        assert level is not None
        expected = [q + math.log(s) for q, s in zip(QUIET, slower, strict=True)]
        assert level.quiet == pytest.approx(expected, abs=0.03)
        assert level.quiet == level.own

    @table("rises, is_known")
    def test_how_far_earlier_runs_explain_the_probes(
        self, rises: tuple[float, float, float], *, is_known: bool
    ) -> None:
        """Earlier runs count up to what a neighbour or the clock does, and not beyond."""
        throughput, latency, memory = map(math.exp, rises)
        level = level_of(readings(*[(throughput, latency, memory)] * 20), [QUIET] * 10)
        assert level is not None
        assert is_known is (level.quiet != level.own)

    def test_an_interrupted_probe_shows_no_more_than_a_neighbour_does(self) -> None:
        """A probe that took twenty times as long does not make its hash that much quicker."""
        spike, quiet = readings((20.0,) * 3, (1.0,) * 3)
        level = level_of([quiet] * 20, [QUIET] * 10)
        assert level is not None
        assert CURVE.log_slowdown(level.slowdown([spike, quiet])) < math.log(1.6)
        assert level.slowdown([spike]) == pytest.approx((1.0, 0.25, 0.55))

    def test_two_probes_do(self) -> None:
        """Where no library has the one bound by memory."""
        two = [reading.only(2) for reading in readings(*[FULLY] * 20)]
        level = level_of(two, [QUIET] * 10)
        assert level is not None
        assert level.quiet == pytest.approx(QUIET[:2], abs=0.03)
