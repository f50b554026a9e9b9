"""``python -m tests.tools.generated.report_picture``: photograph the top of a report, by Chromium.

``python -m tests.tools.generated`` leaves it out: browsers draw letters differently.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from .files import DOCS
from .in_process import printed

_SHOWN: Final = "report server.json --target 100ms -o -"
_SIZE: Final = "1080,1180"
_BROWSERS: Final = ("chromium", "chromium-browser", "google-chrome")


def main() -> int:
    """Write the picture."""
    browser = next(filter(None, map(shutil.which, _BROWSERS)), None)
    if browser is None:
        print("Chromium is absent; fetch it with: cd tests && python -m end_to_end.browsers")
        return 1
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        page.write_text(printed(_SHOWN.split(), DOCS / "examples"), "utf-8")
        subprocess.run(
            [
                *(browser, "--headless", "--no-sandbox", "--hide-scrollbars"),
                *(f"--window-size={_SIZE}", f"--screenshot={DOCS / 'screens/report.png'}"),
                page.as_uri(),
            ],
            check=True,
            capture_output=True,
            timeout=60,
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
