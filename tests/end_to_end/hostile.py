"""Modules that leave a mark when they are run, for folders that want to be run."""

from pathlib import Path
from typing import Final

MODULES: Final = (
    *("venv", "pip", "argparse", "sitecustomize", "usercustomize", "ensurepip", "json", "re"),
    *("site", "os", "encodings", "logging", "tomllib", "subprocess", "importlib", "hashcost"),
    *("click", "rich", "msgspec", "bcrypt", "backend", "setup", "conftest", "hatchling"),
    *("matplotlib", "jinja2", "django", "ast_grep_py", "sqlalchemy", "argon2", "passlib"),
)
"""What Python, pip or the command could take from the working directory."""


def leaves_a_mark(marks: Path) -> str:
    """Python that writes a file of its module's name into a folder when it is run."""
    return f"open({str(marks)!r} + '/' + __name__.replace('.', '-'), 'w').write(__file__)\n"


def put_modules(folder: Path, marks: Path) -> None:
    """Put each of the `MODULES` into a folder."""
    for name in MODULES:
        (folder / f"{name}.py").write_text(leaves_a_mark(marks))
