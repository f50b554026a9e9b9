"""The applications, costs that they accept, and what a run on a made-up machine gives for them."""

from hypothesis import strategies as st
from msgspec.structs import replace

from corpora import cases
from fakes import FakeClock, FakeHasher, FakeLadder, fake_host, measure
from hashcost.apps.interface import App
from hashcost.apps.registry import app_names, load_app, load_tunable
from hashcost.apps.schemes import Limits, Scheme
from hashcost.core.measurement import Knob, Measurement, Params, Scale
from hashcost.core.profile import Profile

SERVICES = tuple(cases(__file__, "services.toml", "services"))

_KNOBS = {
    "cost": Knob(name="cost", scale=Scale.LOG2, minimum=4, maximum=31),
    "rounds": Knob(name="rounds", scale=Scale.LINEAR, minimum=1000, maximum=999_999_999),
    "iterations": Knob(name="iterations", scale=Scale.LINEAR, minimum=1, maximum=2**31 - 1),
}
_MEMORY = Knob(
    name="memory_kib",
    scale=Scale.LADDER,
    minimum=8,
    maximum=2**32 - 1,
    steps=tuple(1024 * 2**step for step in range(13)),
)
_TIME = Knob(name="time_cost", scale=Scale.LINEAR, minimum=1, maximum=2**32 - 1)
_N = Knob(
    name="n",
    scale=Scale.LADDER,
    minimum=2,
    maximum=2**24,
    steps=tuple(2**step for step in range(10, 22)),
)
_P = Knob(name="p", scale=Scale.LINEAR, minimum=1, maximum=2**10)


def label(case: object) -> str:
    """The name of a case in the tests' output."""
    return case.name if isinstance(case, App) else case.hasher if isinstance(case, Scheme) else ""


APPS = tuple(app for name in app_names() for app in (load_app(name),) if isinstance(app, App))
SCHEMES = tuple((app, scheme) for app in APPS for scheme in app.schemes)


def legal(scheme: Scheme) -> st.SearchStrategy[Params]:
    """Any cost that the application takes, in the hasher's own terms."""
    costs = st.fixed_dictionaries(
        {name: _values(name, each) for name, each in scheme.limits.items()}
    )
    return costs.filter(lambda params: not scheme.refuses(params))


def _values(name: str, limits: Limits) -> st.SearchStrategy[int]:
    if limits.allowed:
        return st.sampled_from(limits.allowed)
    if limits.minimum == limits.maximum:
        return st.just(limits.minimum)
    if name == "n":
        return st.integers(1, min(20, limits.maximum.bit_length() - 1)).map(lambda log: 2**log)
    if name in {"r", "p"}:
        return st.integers(1, min(64, limits.maximum))
    edges = st.sampled_from([limits.minimum, limits.maximum])
    drawn = st.integers(limits.minimum, limits.maximum) | edges
    return drawn.map(lambda value: value - value % limits.step)


def made_up_profile(*names: str) -> Profile:
    """A profile of a made-up machine with what every scheme of these applications refers to."""
    wanted = {
        (scheme.hasher, scheme.reference.implementation): scheme
        for name in names
        for scheme in load_tunable(name).schemes
        if scheme.reference is not None
    }
    profiles = [measured(wanted[label], target=0.04)[0] for label in sorted(wanted)]
    return replace(
        profiles[0],
        results=tuple(row for each in profiles for row in each.results),
        measurements=tuple(row for each in profiles for row in each.measurements),
    )


class _Kibibytes(FakeLadder):
    """A ladder in KiB, and scrypt's, whose r is 8."""

    @property
    def lowest(self) -> Params:
        lowest = super().lowest
        return {"n": lowest["n"], "r": 8, "p": 1} if self.knob is _N else lowest

    def memory_bytes(self, params: Params) -> int:
        return params[self.knob.name] * 1024


def measured(scheme: Scheme, target: float = 0.25) -> tuple[Profile, Measurement]:
    """What a run on a made-up machine gives for a scheme's reference, to be saved."""
    assert scheme.reference is not None
    clock = FakeClock()
    hasher: FakeHasher
    if "cost" in scheme.limits:
        hasher = FakeHasher(clock, knob=_KNOBS["cost"], seconds_per_unit=5e-5)
    elif "memory_kib" in scheme.limits:
        hasher = _Kibibytes(clock, knob=_MEMORY, passes=_TIME, lanes=True, seconds_per_unit=5e-7)
    elif "n" in scheme.limits:
        hasher = _Kibibytes(clock, knob=_N, passes=_P, seconds_per_unit=3e-6)
    else:
        (param,) = scheme.limits
        hasher = FakeHasher(clock, knob=_KNOBS[param], seconds_per_unit=3e-7)
    hasher.name, hasher.implementation = scheme.hasher, scheme.reference.implementation
    host = fake_host(clock, free=64 << 30)
    profile = measure(clock, hasher, target=target, host=host)
    return profile, profile.measurements[0]
