"""Files as they are found on systems, for the applications that are configured by them."""

import tomllib
from pathlib import Path
from typing import Final

_TEXT: Final = Path(__file__).with_name("realistic.toml").read_text("utf-8")
FILES: Final = [
    (app, file["text"]) for file in tomllib.loads(_TEXT)["file"] for app in file["apps"]
]
REALISTIC: Final[dict[str, str]] = dict(reversed(FILES))
"""The first file of each."""
