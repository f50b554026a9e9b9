"""What holds for every service: only what it takes is written, and that is read back."""

from __future__ import annotations

from functools import cache, partial

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from apps.outcome import outcome
from apps.services import NAMES, label, legal, measured, schemes, service
from hashcost.apps.files import yaml_file
from hashcost.apps.interface import App, Scheme
from hashcost.core.errors import UnreachableError
from hashcost.core.measurement import Measurement
from hashcost.core.profile import Profile
from hashcost.recommend.emission import Emission, fitting, header
from laws import examples

_CASES = pytest.mark.parametrize(("app", "scheme"), schemes(), ids=label)


@cache
def _measured(app: str, hasher: str) -> tuple[Profile, Measurement]:
    scheme = service(app).scheme(hasher)
    assert scheme is not None
    return measured(scheme)


@_CASES
@examples(40)
@given(data=st.data())
def test_what_is_written_is_read_back(app: App, scheme: Scheme, data: st.DataObject) -> None:
    """Of every legal cost, reading what was written gives exactly that cost, and no complaint."""
    params = data.draw(legal(scheme))
    (found,) = app.read(scheme.write(params))
    assert (scheme.hasher, params) == (found.hasher, found.params)
    assert found.wins
    assert not found.why


@_CASES
@examples(40)
@given(data=st.data())
def test_of_two_costs_the_answer_names_the_winner(
    app: App, scheme: Scheme, data: st.DataObject
) -> None:
    """Where a file sets a cost twice, the one that the application uses wins, and why is said;
    commands each count.
    """
    once, again = data.draw(legal(scheme)), data.draw(legal(scheme))
    found = app.read(f"{scheme.write(once)}{scheme.write(again)}")
    winners = [each for each in found if each.wins]
    if app.name in {"kafka", "caddy"} or "passwordPolicy" in scheme.write(once):
        assert [once, again] == [each.params for each in winners]
        return
    (winner,) = winners
    assert winner.params == (once if app.name == "vaultwarden" else again)
    assert len(found) > 1
    assert all(each.why for each in found if not each.wins) or winner.why


@_CASES
@pytest.mark.parametrize("target", [1e-6, 1e-3, 0.04, 0.25, 4.0, 600.0])
def test_only_what_holds_is_written(app: App, scheme: Scheme, target: float) -> None:
    """The cost is one that the application keeps, and why it is not what fits is said."""
    profile, row = _measured(app.name, scheme.hasher)
    try:
        emission = fitting(app, scheme, row, target, None)
    except UnreachableError as error:
        pytest.fail(str(error))
    for name, limits in scheme.limits.items():
        assert limits.nearest(emission.params[name]) == emission.params[name]
    assert emission.time_seconds <= target or any(
        reason.startswith(("it ", "no cost ")) for reason in emission.reasons
    )
    reference = emission.scheme.reference
    assert reference is not None
    assert any(reference.source in reason for reason in emission.reasons)
    _check_snippet(emission, profile)


def _check_snippet(emission: Emission, profile: Profile) -> None:
    """The snippet under its comment says what it was made from."""
    text = header(emission, profile, "made-up 1.0", ["meets nobody's minimum"])
    (found,) = emission.app.read(text + emission.snippet)
    assert found.params == emission.params
    assert found.line > text.count("\n")


@_CASES
def test_what_is_outside_the_range_is_said(app: App, scheme: Scheme) -> None:
    """A cost outside the range is read with what the application makes of it."""
    lowest = {name: limits.nearest(0) for name, limits in scheme.limits.items()}
    for name, limits in scheme.limits.items():
        beyond = [limits.maximum * 2 if name == "n" else limits.maximum + limits.step]
        beyond += [limits.minimum - limits.step] if limits.minimum > limits.step else []
        for value in beyond:
            text = scheme.write({**lowest, name: value})
            found, message = outcome(partial(app.read, text))
            assert message or (found and found[0].why)


@pytest.mark.parametrize("name", NAMES)
@given(
    text=st.text(max_size=200)
    | st.lists(
        st.sampled_from(
            [
                *"\n:-[]{}=$'\"#&*,| ",
                "  ",
                "hashers",
                "PASSWORD_HASH_ALGO",
                "[security]",
                "PASSWORD_ITERATIONS=",
                "hash-password --bcrypt-cost ",
                "SCRAM-SHA-256=[iterations=",
                "hashAlgorithm(",
                "hashIterations(",
                "setParameter:\n  scramIterationCount: ",
                "hashers:\n  bcrypt:\n    cost: ",
                "[mysqld]\ncaching_sha2_password_digest_rounds=",
                "xpack.security.authc.password_hashing.algorithm: ",
                "plugins.security.password.hashing.algorithm: ",
                ":bcrypt_cost: ",
                "12",
                "-1",
                "99999999999999999999",
                "1e3",
                "\0",
                "é",
            ]
        ),
        max_size=20,
    ).map("".join)
)
@example(text="\0")
@example(text="[" * 1000)
@example(text='{"a":' * 1000)
@example(text="- " * 1000)
@example(text="a: &a [*a, *a]")
def test_any_text_is_read_or_refused_in_a_line(name: str, text: str) -> None:
    """Whatever a file has, there are costs or one clear line, and nothing else happens."""
    found, message = outcome(lambda: service(name).read(text))
    assert found is not None or message
    assert "\n" not in message
    lines = text.count("\n") + text.count("\r") + len(text.splitlines()) + 1
    assert all(1 <= each.line <= lines for each in found or ())
    assert sum(each.wins for each in found or ()) <= len(found or ())


@pytest.mark.parametrize("name", NAMES)
def test_an_empty_file_configures_nothing(name: str) -> None:
    """Where nothing is set, nothing is found, and the application's default counts."""
    assert service(name).read("") == ()
    assert service(name).read("# a comment alone\n") == ()


@pytest.mark.parametrize("name", NAMES)
def test_a_bomb_of_aliases_is_refused(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that unfolds without end is refused, or has nothing that is looked at."""
    monkeypatch.setattr(yaml_file, "_MOST_VALUES", 1000)
    bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n" + "".join(
        f"a{level}: &a{level} [{','.join([f'*a{level - 1}'] * 10)}]\n" for level in range(1, 9)
    )
    found, message = outcome(lambda: service(name).read(bomb))
    assert found == () or "aliases" in message or "neither" in message
