"""Every generated file with its content."""

from pathlib import Path
from typing import Final

from click.shell_completion import get_completion_class

from hashcost.cli import COMPLETE, calibrate

from . import collection, examples, man_pages, pages, schemas, screens

ROOT: Final = Path(__file__).parents[3]
DOCS: Final = ROOT / "docs"
SCHEMAS: Final = DOCS / "schemas"
COLLECTION: Final = ROOT / "ansible"

COMPLETIONS: Final = {"bash": "calibrate", "zsh": "_calibrate", "fish": "calibrate.fish"}
"""The file that each shell looks for."""
FOLDERS: Final = ((DOCS / "man", "*.1"), (SCHEMAS, "*.json"), (DOCS / "screens", "*.svg"))
"""Where every file of a kind is generated, so that one too many is out of date as well."""


def generated() -> dict[Path, str]:
    """What each generated file must hold."""
    return {
        **{DOCS / name: text for name, text in pages.pages().items()},
        **{DOCS / "man" / name: text for name, text in man_pages.pages().items()},
        **{DOCS / "completions" / name: _script(shell) for shell, name in COMPLETIONS.items()},
        **{SCHEMAS / name: text for name, text in schemas.schemas().items()},
        **{COLLECTION / name: text for name, text in collection.shipped(ROOT).items()},
        **{DOCS / "screens" / name: text for name, text in screens.screens(DOCS).items()},
    }


def _script(shell: str) -> str:
    kind = get_completion_class(shell)
    assert kind is not None
    return kind(calibrate, {}, "calibrate", COMPLETE).source()


def stale(*, shown: bool = True) -> dict[Path, str | None]:
    """The files that differ from what they must hold; `None` for one that must not be there.

    ``shown`` are the pages whose examples show their output.
    """
    wanted = generated()
    if shown:
        pages = (ROOT / "README.md", *sorted(DOCS.rglob("*.md")))
        written = (path for path in pages if path not in wanted)
        wanted |= {path: examples.filled(path, DOCS) for path in written}
    surplus = (
        path for folder, pattern in FOLDERS for path in folder.glob(pattern) if path not in wanted
    )
    return {
        **{path: text for path, text in wanted.items() if not _same(path, text)},
        **dict.fromkeys(surplus),
    }


def _same(path: Path, wanted: str) -> bool:
    """Whether a file needs no writing; a picture may be drawn anew as long as it says the same."""
    committed = path.read_text("utf-8") if path.is_file() else None
    if committed is not None and path.suffix == ".svg":
        return screens.words(committed) == screens.words(wanted)
    return committed == wanted
