"""A check never says *fine* of what it could not read."""

from __future__ import annotations

import pytest

from apps.schemes import tunable
from hashcost.apps.interface import App, Scheme
from hashcost.apps.registry import app_names, load_app
from hashcost.core.measurement import Params
from hashcost.verdicts.app_costs import costs_in
from hashcost.verdicts.judgement import Configured, Judgement, Outcome

_APPS = tuple(app for name in app_names() for app in (load_app(name),) if isinstance(app, App))
_USUAL = {"cost": 12, "n": 16384, "r": 8, "p": 1, "time_cost": 3, "memory_kib": 65536}


@pytest.mark.parametrize("text", ["# hello\n", "", "hello\n"])
@pytest.mark.parametrize("app", _APPS, ids=lambda app: app.name)
def test_a_file_of_nobody_is_unknown(app: App, text: str) -> None:
    """The default counts only where something shows that a file is the application's."""
    (found,) = costs_in(app, text, "x.md", None)
    assert isinstance(found, Judgement)
    assert found.outcome is Outcome.UNKNOWN
    assert found.place is not None
    assert found.place.path == "x.md"
    assert found.message
    assert found.advice


def _legal(scheme: Scheme) -> Params:
    """A usual cost that the application takes."""
    return {
        name: limits.nearest(_USUAL.get(name, 1 if name == "parallelism" else 300_000))
        for name, limits in scheme.limits.items()
    }


def _in_its_file(app: App, snippet: str) -> str:
    match app.name:
        case "nextcloud":
            return f"<?php\n$CONFIG = array(\n{snippet});\n"
        case "wordpress":
            return f"<?php\n{snippet}"
        case _:
            return snippet


@pytest.mark.parametrize(
    ("app", "scheme"),
    [(app, scheme) for app in _APPS for scheme in app.schemes],
    ids=lambda value: value.name if isinstance(value, App) else value.hasher,
)
def test_what_is_emitted_is_read_whole(app: App, scheme: Scheme) -> None:
    """No sign of anything unread is seen in a snippet of one's own."""
    params = _legal(scheme)
    (found,) = costs_in(app, _in_its_file(app, scheme.write(params)), "the file", None)
    assert isinstance(found, Configured)
    assert (found.hasher, found.params) == (scheme.hasher, params)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("nextcloud", "<?php\n$CONFIG = array(\n  'hashingTimeCost' => 4 * 2,\n);\n"),
        ("laravel", "BCRYPT_ROUNDS=${ROUNDS}\n"),
        ("mysql", "!includedir /etc/mysql/conf.d/\n"),
        ("django", "from .base import *\nMIDDLEWARE = []\n"),
    ],
)
def test_what_cannot_be_worked_out_is_unknown(name: str, text: str) -> None:
    """A value or a file that is not followed is told with its line."""
    (found,) = costs_in(tunable(name), text, "the file", None)
    assert isinstance(found, Judgement)
    assert found.outcome is Outcome.UNKNOWN
