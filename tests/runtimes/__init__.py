"""A probe that no runtime runs: it hashes at a speed that it makes up, and fails as it is told."""

import stat
import sys
from pathlib import Path
from typing import Final

from hashcost.runtimes.elsewhere import Elsewhere
from hashcost.runtimes.hasher import ElsewhereHasher
from hashcost.runtimes.session import Patience

IMPATIENT: Final = Patience(greeting=0.6, answer=0.6, times_longest=0.0)


def loaded(elsewhere: Elsewhere, label: str) -> ElsewhereHasher:
    """The hasher of this label; its runtime is started."""
    runtime = label.partition("@")[2].partition(":")[0]
    candidates = {candidate.label: candidate for candidate in elsewhere.candidates(runtime)}
    hasher = candidates[label].load()
    assert isinstance(hasher, ElsewhereHasher)
    return hasher


_PROBE: Final = Path(__file__).with_name("made_up_probe").read_text("utf-8")
"""It takes 100 ns an iteration, whatever the machine does, so that what is solved is exact."""


def fake(folder: Path, mode: str) -> str:
    """A command that behaves so, whatever it is told to run."""
    compiler = folder / "javac"
    if not compiler.exists():
        compiler.symlink_to("/bin/true")
    path = folder / f"runtime-{mode}"
    path.write_text(_PROBE.replace("{python}", sys.executable, 1))
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)
