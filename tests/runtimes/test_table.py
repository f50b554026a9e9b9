"""What the tables of runtimes and of applications say fits together."""

from __future__ import annotations

import pytest

from hashcost.apps.interface import App
from hashcost.apps.registry import app_names, load_app
from hashcost.runtimes.table import RUNTIMES

RUN = sorted(
    {
        (scheme.hasher, label)
        for app in map(load_app, app_names())
        if isinstance(app, App)
        for scheme in app.schemes
        if scheme.reference is not None
        for label in scheme.reference.runs_in
    }
)


@pytest.mark.parametrize(("hasher", "label"), RUN)
def test_what_an_application_hashes_with_can_be_measured(hasher: str, label: str) -> None:
    """The library that is said to run it is one of the runtime's, for that hasher."""
    runtime, _, library = label.partition(":")
    assert hasher in RUNTIMES[runtime].libraries[library].hashers


def test_a_warm_up_and_a_drift_were_measured() -> None:
    """Each library that has one says on which day."""
    for runtime in RUNTIMES.values():
        for library in runtime.libraries.values():
            assert not library.warm_seconds or library.measured is not None
