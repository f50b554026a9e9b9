"""The documentation as a site: built without a warning, accessible, and fetching nothing."""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Browser, ViewportSize

from end_to_end.test_report_browser import DESKTOP, PHONE, Scheme, chromium, opened, violations_of

__all__ = ["chromium"]

pytestmark = pytest.mark.slow

ROOT: Final = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built strictly."""
    if find_spec("mkdocs") is None:
        pytest.skip("MkDocs is absent; install it with: python -m pip install --group docs")
    folder = tmp_path_factory.mktemp("site")
    ended = subprocess.run(
        [
            *(sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet"),
            *("--config-file", ROOT / ".mkdocs.yml", "--site-dir", folder),
        ],
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )

    assert (0, "") == (ended.returncode, ended.stderr)
    return folder


@pytest.mark.parametrize(("viewport", "scheme"), [(DESKTOP, "light"), (PHONE, "dark")])
def test_the_main_page_is_quiet_fits_and_is_accessible(
    chromium: Browser, site: Path, viewport: ViewportSize, scheme: Scheme
) -> None:
    """On a light desktop and a dark phone: nothing on the console, nothing asked for but
    files of the site, no page wider than the screen, and nothing for axe to find.
    """
    shown = opened(chromium, site / "index.html", viewport=viewport, scheme=scheme)
    shown.page.wait_for_load_state("networkidle")
    said = list(shown.said)
    wide, room = shown.page.evaluate(
        "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"
    )
    violations = violations_of(shown.page)

    assert [] == said
    assert wide <= room == viewport["width"]
    assert [] == [address for address in shown.asked_for if not address.startswith(site.as_uri())]
    assert [] == [
        (violation["id"], node["html"]) for violation in violations for node in violation["nodes"]
    ]
