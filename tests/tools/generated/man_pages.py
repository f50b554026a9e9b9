"""Man pages in roff, one for ``calibrate`` and one for each command.

Not by click-man: it neither sees commands that are imported when they run, nor escapes roff, nor
knows arguments, examples and exit codes.
"""

from __future__ import annotations

import re
from typing import Final

from hashcost.core.version import __version__

from .commands import commands
from .pages import templates

_FILES: Final = {
    "hashcost.toml": "The settings of `calibrate check` and `calibrate scan`, in the nearest"
    " folder that has one; the table [tool.hashcost] of pyproject.toml takes the same keys.",
    "$XDG_STATE_HOME/hashcost/history": "What earlier runs saw of this machine; below"
    " ~/.local/state unless XDG_STATE_HOME is set. It may be deleted.",
    "$XDG_STATE_HOME/hashcost/backups": "Files as they were before `calibrate emit --apply`, the"
    " last ten of each.",
}
_ENVIRONMENT: Final = {
    "NO_COLOR": "Print without colours, unless `--color` says otherwise.",
    "FORCE_COLOR": "Print with colours, also where no terminal reads them.",
    "HASHCOST_DATABASE": "The database that `calibrate audit` asks, as an SQLAlchemy URL.",
    "HASHCOST_DEBUG": "Show where an internal error happened.",
    "GITHUB_STEP_SUMMARY": "A file that `calibrate check` and `calibrate scan` add their result"
    " to.",
}


def pages() -> dict[str, str]:
    """Fill the template of each command, by the names of their files."""
    environment = templates()
    environment.filters |= {"roff": _roff, "bold_code": _bold_code, "literal": _literal}
    template = environment.get_template("man.1.j2")
    every = tuple(commands())
    return {
        f"{page}.1": template.render(
            page=page,
            command=command,
            others=every[1:],
            version=__version__,
            files=_FILES,
            environment=_ENVIRONMENT,
        )
        for command in every
        for page in [command.name.replace(" ", "-")]
    }


def _literal(lines: str) -> str:
    return "\n".join((".PP", ".nf", ".RS 4", *map(_roff, lines.splitlines()), ".RE", ".fi"))


def _roff(text: str) -> str:
    """Escape text so that roff prints it as it is."""
    escaped = text.replace("\\", r"\e").replace("-", r"\-").replace("^", r"\(ha")
    escaped = escaped.replace("~", r"\(ti").replace("'", r"\(aq").replace("`", r"\(ga")
    return rf"\&{escaped}" if escaped.startswith(".") else escaped


def _bold_code(text: str) -> str:
    parts = re.split(r"`([^`]*)`", text)
    return "".join(
        rf"\fB{_roff(part)}\fR" if number % 2 else _roff(part) for number, part in enumerate(parts)
    )
