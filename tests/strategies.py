"""Hypothesis strategies for the values that more than one test draws."""

import datetime as dt
from typing import Final

from hypothesis import strategies as st
from msgspec.structs import replace

from fakes import LADDER, MIB
from hashcost.core.measurement import CostModel, Curve, Fit, Knob, Params, Scale
from hashcost.core.severity import Severity
from hashcost.fit.solver import Floors
from hashcost.render.document import Finding
from hashcost.strength.policies.policy import Floor, Policy

targets = st.floats(min_value=1e-4, max_value=60.0)
"""Seconds that a user may ask for."""

_COUNTS: Final = (1, 2**31 - 1)


def _within(**bounds: tuple[int, int]) -> st.SearchStrategy[Params]:
    return st.fixed_dictionaries({name: st.integers(*ends) for name, ends in bounds.items()})


COSTS: Final[dict[str, st.SearchStrategy[Params]]] = {
    **{f"sha{size}-crypt": _within(rounds=_COUNTS) for size in (512, 256)},
    **{f"pbkdf2-sha{size}": _within(iterations=_COUNTS) for size in (1, 256, 512)},
    "bcrypt": _within(cost=(4, 31)),
    "scrypt": _within(n=(1, 24), r=(1, 256), p=(1, 32)).map(lambda p: {**p, "n": 2 ** p["n"]}),
    "argon2id": _within(memory_kib=(8, 2**22), time_cost=(1, 64), parallelism=(1, 8)),
    "yescrypt": _within(cost=(1, 11)),
}
"""The legal costs of each known algorithm."""

hashers = st.sampled_from(sorted(COSTS))


def policies(hasher: str, id_: str = "made-up") -> st.SearchStrategy[Policy]:
    """A policy with up to four floors for one hasher, which it may or may not approve of."""
    return st.builds(
        Policy,
        id=st.just(id_),
        title=st.just("Made up"),
        source=st.just("nowhere"),
        date=st.just(dt.date(2026, 1, 1)),
        approved=st.sampled_from([None, None, None, (hasher,), ("another",)]),
        informative=st.sampled_from([False, False, False, True]),
        floors=st.lists(
            st.builds(Floor, hasher=st.just(hasher), params=COSTS[hasher]), max_size=4
        ).map(tuple),
    )


@st.composite
def floors_for(draw: st.DrawFn, fitted: Fit) -> Floors:
    """Up to three alternatives of which any one will do, for a hasher of which this is known."""
    knob = fitted.curves[0].knob
    names = {name: st.integers(1, 1100) for name in fitted.curves[0].params}
    if knob is not None:
        names[knob.name] = st.integers(knob.minimum, min(knob.maximum, 10**6))
    alternatives = draw(st.lists(st.fixed_dictionaries(names), min_size=1, max_size=3))
    return any_of(*alternatives)


def any_of(*alternatives: Params) -> Floors:
    """Floors of which any one will do, where no param is below it."""

    def is_met(params: Params) -> bool:
        return any(
            all(params.get(name, 0) >= least for name, least in alternative.items())
            for alternative in alternatives
        )

    return Floors(alternatives=alternatives, is_met=is_met)


@st.composite
def knobs(draw: st.DrawFn) -> Knob:
    """A knob that stands alone, with a legal range like those of real hashers or narrower."""
    scale = draw(st.sampled_from([Scale.LINEAR, Scale.LOG2]))
    lowest, highest = (1, 2**31 - 1) if scale is Scale.LINEAR else (0, 31)
    minimum = draw(st.integers(lowest, 5000 if scale is Scale.LINEAR else 12))
    maximum = draw(st.integers(minimum, highest))
    return Knob(name="turns", scale=scale, minimum=minimum, maximum=maximum)


@st.composite
def fits(draw: st.DrawFn) -> Fit:
    """What may be known of a hasher with one knob, or of one that climbs a ladder."""
    curves = draw(st.one_of(lines().map(lambda curve: (curve,)), ladders()))
    low = draw(st.floats(min_value=0.5, max_value=1.0))
    high = draw(st.floats(min_value=1.0, max_value=2.0))
    return Fit(curves=tuple(replace(curve, relative_interval=(low, high)) for curve in curves))


@st.composite
def lines(draw: st.DrawFn) -> Curve:
    """The curve of one knob."""
    knob = draw(knobs())
    model = draw(models(knob))
    return Curve(params={knob.name: knob.minimum}, knob=knob, model=model)


@st.composite
def ladders(draw: st.DrawFn) -> tuple[Curve, ...]:
    """The curves of some steps of memory, whatever they take; with a second knob or without."""
    passes = {"name": st.just("passes"), "scale": st.just(Scale.LINEAR)}
    ends = {"minimum": st.integers(1, 3), "maximum": st.integers(3, 2**31 - 1)}
    knob = draw(st.none() | st.builds(Knob, **passes, **ends))
    steps = sorted(draw(st.sets(st.sampled_from(LADDER.steps), min_size=1, max_size=4)))
    return tuple(
        Curve(
            params={LADDER.name: step} | ({knob.name: knob.minimum} if knob else {}),
            knob=knob,
            model=draw(models(knob or LADDER)),
            memory_bytes=step * MIB,
        )
        for step in steps
    )


def models(knob: Knob) -> st.SearchStrategy[CostModel]:
    """What one hash takes by this knob."""
    return st.builds(
        CostModel,
        parameter=st.just(knob.name),
        scale=st.just(knob.scale),
        overhead_seconds=st.floats(min_value=0.0, max_value=1e-3),
        seconds_per_unit=st.floats(min_value=1e-9, max_value=1e-3),
    )


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
"""Anything that a file or a path may hold, control characters and line ends included."""

findings = st.builds(
    Finding,
    rule=st.sampled_from(["drifted", "fine", "below-min"]),
    rule_title=texts,
    rule_help=texts,
    rule_page=st.tuples(texts, texts),
    severity=st.sampled_from(Severity),
    subject=texts,
    message=texts,
    path=st.none() | texts.filter(bool),
    line=st.none() | st.integers(1, 10**6),
    seconds=st.none() | st.floats(min_value=0, max_value=1e4),
    skipped=st.booleans(),
    accepted=texts,
    in_source=st.booleans(),
)
