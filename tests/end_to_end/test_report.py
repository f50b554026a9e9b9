"""The command ``report``: a page of profiles and sweeps."""

from pathlib import Path

import pytest

from end_to_end.command import MADE_UP, calibrate
from hashcost.render.formats import html_format
from hashcost.storage.profile import save_profile
from measured import EVERY


@pytest.fixture(autouse=True)
def _undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw no chart: that takes half a second, and is tested where charts are drawn."""
    monkeypatch.setattr(html_format, "svgs_of", lambda charts: [b"<svg/>"] * len(charts))


def test_a_page_is_written(tmp_path: Path) -> None:
    """The page is in the file, which is said; it is the same on standard output."""
    to_file = calibrate("report", str(MADE_UP), "-o", "report.html", cwd=tmp_path)
    to_output = calibrate("report", str(MADE_UP), "--output", "-")
    page = (tmp_path / "report.html").read_text("utf-8")

    assert (0, "", "Saved the page in report.html\n") == (to_file.code, to_file.out, to_file.err)
    assert page == to_output.out
    assert page.startswith("<!DOCTYPE html>")
    assert "One hash in at most 40.0 ms" in page


def test_several_files_are_told_apart(tmp_path: Path) -> None:
    """Profiles of the same name in two folders have a section each; one named twice has one."""
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        save_profile(EVERY, tmp_path / folder / "here.json")
    (tmp_path / "link.json").symlink_to("one/here.json")
    names = ("one/here.json", "two/here.json", "one/../one/here.json", "link.json")
    ended = calibrate("report", *names, "-o", "-", cwd=tmp_path)

    assert 0 == ended.code
    for name in ("one/here.json", "two/here.json"):
        assert 1 == ended.out.count(f">{name}</h2>")
        assert f'download="{name.replace("/", "-").replace("json", "csv")}"' in ended.out
    assert 1 == ended.out.count('class="answer"')
    assert ">Side by side</h2>" in ended.out
    assert 2 == ended.out.count(".json</h2>")
