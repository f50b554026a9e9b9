"""Where text goes, and what of it is coloured or counted, in this process."""

from pathlib import Path
from typing import Final

import pytest
from msgspec.structs import replace

from end_to_end.command import MADE_UP, calibrate
from hashcost.checks import live_check
from hashcost.checks.judgement import Configured
from hashcost.cli.inputs import costs_timed
from hashcost.cli.output import Output
from hashcost.core.machine import Notice
from hashcost.core.measurement import Doubt
from hashcost.core.profile import Profile
from hashcost.machine.signals import BUSY, BUSY_THREADS
from hashcost.storage.profile import load_profile, save_profile

AGAIN: Final = ("--from", str(MADE_UP), "--target", "40ms")


@pytest.mark.parametrize("colour", [True, False])
def test_the_code_of_a_notice_is_coloured(*, colour: bool) -> None:
    """Where colour is wanted, the code of a notice is yellow, and nothing else of it."""
    env = {"FORCE_COLOR": "1"} if colour else {}
    ended = calibrate(*AGAIN, "--explain", env=env)
    code = "\x1b[33msteal\x1b[0m" if colour else "steal"

    assert ended.err.startswith(f"{code}: when measured: the hypervisor gave 3.0 %")
    assert colour == ("\x1b" in ended.err)


@pytest.mark.parametrize(("rows", "about"), [(1, "{0}"), (2, "{0}, {1}"), (3, "3 hashers")])
def test_a_notice_of_many_hashers_counts_them(tmp_path: Path, rows: int, about: str) -> None:
    """A notice names one or two hashers, and counts more; --explain names all."""
    profile = load_profile(MADE_UP)
    doubtful = [replace(one, doubt=Doubt.CHANGED) for one in profile.measurements[:rows]]
    answers = profile.recommendations[:rows]
    noisy = replace(profile, measurements=tuple(doubtful), results=answers, warnings=())
    save_profile(noisy, tmp_path / "p.json")
    labels = [one.label for one in doubtful]
    asked = ("--from", str(tmp_path / "p.json"), *AGAIN[2:])
    told, explained = calibrate(*asked), calibrate(*asked, "--explain")

    seems = "when measured: the machine, or the library, seems"
    assert f"changed: {about.format(*labels)}: {seems}" in " ".join(told.err.split())
    assert f"changed: {', '.join(labels)}: {seems}" in " ".join(explained.err.split())


@pytest.mark.parametrize(("code", "is_told"), [(BUSY, False), (BUSY_THREADS, True)])
def test_a_cost_is_explained_with_what_its_time_was_not_corrected_for(
    code: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    *,
    is_told: bool,
) -> None:
    """The probes correct for neighbours of one thread, and not for those of several."""
    warnings = (Notice(code=code, message="wanted"),)
    disturbed = replace(load_profile(MADE_UP), warnings=warnings, results=())

    def measured(*_: object, **__: object) -> Profile:
        return disturbed

    monkeypatch.setattr(live_check, "measure", measured)
    cost = Configured(hasher="bcrypt", params={"cost": 10})
    times = costs_timed((cost,), 0.1, None, Output("table", None))

    assert times is disturbed
    assert is_told == (f"{code}: wanted" in capsys.readouterr().err)
