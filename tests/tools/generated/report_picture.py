"""``python -m tests.tools.generated.report_picture``: photograph the top of a report, by Chromium.

``python -m tests.tools.generated`` leaves it out: browsers draw letters differently.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from end_to_end.command import calibrate
from end_to_end.real_programs import AbsentError, browser

from .files import DOCS

_SHOWN: Final = ("report", "server.json", "--target", "100ms", "-o")


def main() -> None:
    """Write the picture."""
    try:
        program = browser()
    except AbsentError as error:
        sys.exit(str(error))
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        calibrate(*_SHOWN, str(page), cwd=DOCS / "examples")
        picture = f"--screenshot={DOCS / 'screens/report.png'}"
        options = ("--headless", "--no-sandbox", "--hide-scrollbars", "--window-size=1080,1180")
        subprocess.run([program, *options, picture, page.as_uri()], check=True, timeout=60)


if __name__ == "__main__":
    main()
