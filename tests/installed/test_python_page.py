"""The Python page, pasted by a user of the installed wheel."""

from pathlib import Path

from installed.user import program, run
from test_api import SHOWN


def test_what_the_page_shows_runs_as_installed(home: Path) -> None:
    """The blocks run without extras, in an empty folder, and measure and judge."""
    ended = run("plain", program("plain", "python"), "-c", SHOWN, home=home)

    assert (0, "") == (ended.code, ended.err)
    assert "bcrypt {'cost': 8} below-min" in ended.out
    assert (home / "here.json").stat().st_size
