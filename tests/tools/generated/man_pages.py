"""Man pages in roff, one for ``calibrate`` and one for each command.

Not by click-man: it neither sees commands that are imported when they run, nor escapes roff, nor
knows arguments, examples and exit codes.
"""

import re

from corpora import cases
from hashcost.core.version import __version__

from .commands import commands
from .pages import templates


def pages() -> dict[str, str]:
    """Fill the template of each command, by the names of their files."""
    environment = templates()
    environment.filters |= {"roff": _roff, "bold_code": _bold_code}
    environment.filters["literal"] = lambda lines: "\n".join(
        (".PP", ".nf", ".RS 4", *map(_roff, lines.splitlines()), ".RE", ".fi")
    )
    template = environment.get_template("man.1.j2")
    every = tuple(commands())
    return {
        f"{page}.1": template.render(
            page=page,
            command=command,
            others=every[1:],
            version=__version__,
            files=cases(__file__, "man_pages.toml", "files"),
            environment=cases(__file__, "man_pages.toml", "environment"),
        )
        for command in every
        for page in [command.name.replace(" ", "-")]
    }


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
