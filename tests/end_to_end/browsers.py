"""A real browser and a real validator of HTML: ``python -m end_to_end.browsers`` in ``tests/``.

It fetches what is absent: Chromium with apt-get where it may, html-validate with npm into a
cache folder of its own.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

FOLDER: Final = (
    Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "hashcost-browsers"
)
FETCH: Final = "fetch it with: cd tests && python -m end_to_end.browsers"

_VALIDATOR: Final = "html-validate@10.17.0"
_BROWSERS: Final = ("chromium", "chromium-browser", "google-chrome")
_PACKAGES: Final = ("chromium", "fonts-dejavu-core")


class AbsentError(Exception):
    """A program is not here; the message says which."""


def browser() -> Path:
    """The browser; AbsentError where there is none."""
    path = next((path for name in _BROWSERS if (path := shutil.which(name))), None)
    if path is None:
        raise AbsentError(f"Chromium is absent; {FETCH}")
    return Path(path)


def problems(*pages: Path) -> str:
    """What html-validate says of pages by the HTML standard; AbsentError where it is not here."""
    program = FOLDER / "node_modules" / ".bin" / "html-validate"
    if not program.exists() or shutil.which("node") is None:
        raise AbsentError(f"html-validate is absent; {FETCH}")
    settings = pages[0].with_name("html-validate.json")
    settings.write_text('{"root": true, "extends": ["html-validate:standard"]}', "utf-8")
    ended = subprocess.run(
        [program, "--config", settings, "--formatter", "text", *pages],
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    assert ended.returncode in (0, 1), ended.stderr
    assert (ended.returncode == 0) == (ended.stdout.strip() == ""), ended.stderr
    return ended.stdout


def _fetch() -> None:
    """Fetch what this machine has the tools for."""
    try:
        browser()
    except AbsentError:
        if os.geteuid() == 0 and shutil.which("apt-get"):
            subprocess.run(["apt-get", "-qq", "update"], check=True)
            install = ["apt-get", "-qq", "-y", "--no-install-recommends", "install"]
            subprocess.run([*install, *_PACKAGES], check=True, stdout=subprocess.DEVNULL)
    if shutil.which("npm"):
        install = ["npm", "install", "--silent", "--no-audit", "--no-fund"]
        subprocess.run([*install, "--prefix", FOLDER, _VALIDATOR], check=True)


if __name__ == "__main__":
    _fetch()
    sys.exit(0)
