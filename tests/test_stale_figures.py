"""The days of the shipped figures, as the list of old ones finds them."""

from __future__ import annotations

import datetime as dt

from tools.stale_figures import ROOT, Dated, dated, shipped

OLD = dt.date(2024, 5, 1)
_WITHOUT = {
    "runtimes/answers.toml",  # known answers, which a test computes again
    "apps/data/libraries/libcrypt.toml",  # timed itself, so without a factor
    "apps/data/libraries/passlib.toml",  # the same
    "hashers/built_in.toml",  # tests ask each library for its defaults, and hash the answers
}


def test_every_day_is_found_with_its_place() -> None:
    """Days of the file, of a table in a list and of one further down are told apart."""
    table = {
        "checked": OLD,
        "schemes": [{"defaults": [{"source": "x", "measured": OLD}]}],
        "price": {"date": OLD, "since": OLD},
    }
    assert [
        Dated(OLD, "checked", "a.toml", ""),
        Dated(OLD, "measured", "a.toml", "schemes[0].defaults[0]"),
        Dated(OLD, "date", "a.toml", "price"),
    ] == list(dated(table, "a.toml"))


def test_every_file_with_figures_has_a_day() -> None:
    """No file of data escapes the list, but for formats that have their cost in the hash."""
    files = {str(path.relative_to(ROOT)) for path in ROOT.rglob("*.toml")}
    without = files - {figure.file for figure in shipped()} - _WITHOUT
    assert not {name for name in without if not name.startswith("stored/formats/data/")}
