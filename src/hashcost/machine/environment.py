"""The environment of programs that are started here: variables, and the path of modules."""

import os
import re
import sys
from collections.abc import Collection
from pathlib import Path
from typing import Final

# Prefix of our own variables; one may hold the password of a database.
_OURS: Final = "HASHCOST_"
# Variables that programs, libraries, allocators and version managers read in any runtime.
_EVERYWHERE: Final = re.compile(
    r"PATH|HOME|USER|LOGNAME|SHELL|TERM|TZ|TMPDIR|LANG|LANGUAGE|GLIBC_TUNABLES"
    r"|(?:LC|LD|DYLD|MALLOC|MIMALLOC|OPENSSL|OMP)_\w*"
    r"|(?:ASDF|JENV|MISE|NODENV|NVM|PHPENV|PLENV|PYENV|RBENV|SDKMAN|VOLTA)"
    r"_(?:ROOT|DIR|DATA_DIR|HOME|VERSION)"
)


def child_environment(variables: Collection[str] | None = None) -> dict[str, str]:
    """Return this process's environment without our own variables.

    A runtime that loads other people's libraries gets only ``variables``, which it reads
    itself, and those that any program may need: no token of a CI job is among them.
    """
    inherited = {name: text for name, text in os.environ.items() if not name.startswith(_OURS)}
    if variables is None:
        return inherited
    return {
        name: text
        for name, text in inherited.items()
        if name in variables or _EVERYWHERE.fullmatch(name)
    }


def import_path() -> list[str]:
    """Return where this process imports from, for a child, without the current folder.

    A child may work in another folder, where a relative path would mean another place.
    """
    return [str(Path(folder).absolute()) for folder in sys.path if folder]
