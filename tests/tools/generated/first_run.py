"""What the first run on a machine prints, which the README and the quick start show."""

import tempfile
from pathlib import Path
from typing import Final

import msgspec

from end_to_end.command import calibrate_installed
from hashcost.storage.profile import load_profile, save_profile

from . import examples

FILE: Final = "first.json"


def measure(docs: Path) -> None:
    """Run the README's first command where nothing was measured before, and keep its profile.

    Raises:
        RuntimeError: It failed, or its profile does not give the table that it printed.
    """
    with tempfile.TemporaryDirectory() as empty:
        path = Path(empty) / FILE
        command = ("--target", "40ms", "--save", str(path))
        ended = calibrate_installed(*command, cwd=Path(empty), env={"XDG_STATE_HOME": empty})
        if ended.code != 0:
            raise RuntimeError(f"it ended with {ended.code}: {ended.err}")
        profile = msgspec.structs.replace(load_profile(path), host=None)
    kept = docs / "examples" / FILE
    kept.unlink(missing_ok=True)
    save_profile(profile, kept)
    if examples.printed(kept) != ended.out:
        raise RuntimeError(f"{kept} does not give what was printed:\n{ended.out}")
