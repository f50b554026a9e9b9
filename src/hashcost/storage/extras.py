"""The packages that an extra of this package needs, by the package's own metadata."""

import re
import shlex
import sys
from importlib import import_module
from importlib.metadata import PackageNotFoundError, requires
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from hashcost.core.errors import UnavailableError, lacking_resource
from hashcost.core.machine import TOOL


def how_to_install(extra: str) -> str:
    """The command that installs what an ``extra`` needs.

    It names the packages, never this one: an index may have another under its name.
    """
    try:
        declared = requires(TOOL.name) or []
    except PackageNotFoundError:
        declared = []
    of_extra = re.compile(rf"extra\s*==\s*['\"]{re.escape(extra)}['\"]")
    needed = [
        shlex.quote(requirement.strip())
        for requirement, _, marker in (line.partition(";") for line in declared)
        if of_extra.search(marker)
    ]
    command = "pip install"
    # Where the package is not installed but run from its sources, these name the extra.
    if not needed:
        return f"{command} '.[{extra}]'"
    if Path(sys.prefix, "pipx_metadata.json").exists():
        command = f"pipx inject {TOOL.name}"
    elif sys.prefix != sys.base_prefix and find_spec("pip") is None:
        # uv makes environments without pip.
        command = f"uv pip install --python {shlex.quote(sys.prefix)}"
    elif sys.prefix != sys.base_prefix:  # The environment may not be active.
        command = f"{shlex.quote(sys.executable)} -m pip install"
    return f"{command} {' '.join(needed)}"


def imported(module: str, name: str, extra: str) -> Any:
    """Import an optional package.

    Raises:
        UnavailableError: it is not installed, or is broken; the message has the line that
            installs its ``extra``.
        ImportError: the system does not give the memory that it takes to load.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise not_installed(name, extra) from error
    except ImportError as error:
        # To install it again would not help.
        if lacking_resource(error):
            raise
        raise UnavailableError(
            f"{name} does not load ({error}); install it again with `{how_to_install(extra)}`"
        ) from error


def not_installed(name: str, extra: str) -> UnavailableError:
    """The error that says how to install an optional package."""
    return UnavailableError(f"{name} is not installed; install it with `{how_to_install(extra)}`")
