"""Costs that are each within range but that the application does not take together."""

import pytest
from msgspec.structs import replace

from corpora import table
from fakes import curve_of, known
from hashcost.apps.interface import App
from hashcost.apps.refusals import RULES
from hashcost.apps.registry import load_tunable
from hashcost.apps.schemes import Scheme
from hashcost.core.errors import UnreachableError
from hashcost.core.measurement import Curve, Fit, Knob, Params, Scale
from hashcost.recommend.emission import emission_for

_LANES = Knob(name="p", scale=Scale.LINEAR, minimum=1, maximum=2**10)


def _curve(log2_n: int) -> Curve:
    """A second for each lane of n = 2^20, with the first of them not cheaper."""
    params = {"n": 1 << log2_n, "r": 8, "p": 1}
    return curve_of(_LANES, 2.0 ** (log2_n - 20), params=params, memory_bytes=1024 << log2_n)


_STEPS = Knob(name="n", scale=Scale.LADDER, minimum=2, maximum=2**24, steps=(2**18, 2**19, 2**20))
_ROW = known(
    Fit(curves=tuple(map(_curve, (18, 19, 20)))),
    *(_STEPS, _LANES),
    hasher="scrypt",
    implementation="hashlib",
)
"""Times of n from 2^18 to 2^20."""


def _scrypt(name: str) -> tuple[App, Scheme]:
    app = load_tunable(name)
    scheme = app.scheme("scrypt")
    assert scheme is not None
    return app, scheme


@table("name, seconds, params")
def test_what_would_be_refused_is_not_emitted(name: str, seconds: float, params: Params) -> None:
    """The nearest cost below that the application takes is emitted, and the reason said."""
    app, scheme = _scrypt(name)
    found = emission_for(app, scheme, _ROW, seconds, None)
    assert params == found.params
    assert not scheme.refuses(found.params)
    refused = name == "werkzeug" and seconds > 2
    assert refused == any("refuses n=1048576" in reason for reason in found.reasons)
    assert params["n"] * params["p"] / 2**20 == pytest.approx(found.time_seconds)


def test_a_smaller_memory_is_taken_where_the_greater_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where no cost of one memory is taken, one of a smaller memory is."""
    app, scheme = _scrypt("werkzeug")
    monkeypatch.setitem(RULES, "made-up", lambda params: "no" if params["n"] > 2**19 else "")
    scheme = replace(scheme, rule="made-up")
    assert {"n": 2**19, "r": 8, "p": 15} == emission_for(app, scheme, _ROW, 7.5, None).params


def test_nothing_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the application refuses every cost that was timed, none is emitted."""
    app, scheme = _scrypt("werkzeug")
    monkeypatch.setitem(RULES, "made-up", lambda params: "never")
    scheme = replace(scheme, rule="made-up")
    with pytest.raises(UnreachableError, match="no cost that the application accepts"):
        emission_for(app, scheme, _ROW, 7.5, None)
