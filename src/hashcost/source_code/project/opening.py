"""The files of a project, opened as others take names from them."""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from hashcost.source_code.files import NotReadError, content_of
from hashcost.source_code.parsed_file import ParsedFile
from hashcost.source_code.project.elsewhere import MOST_FILES, Elsewhere, Module
from hashcost.source_code.project.modules import Modules
from hashcost.source_code.python.statements import python_module
from hashcost.source_code.rules import by_suffix


def project_of(paths: Sequence[str]) -> Elsewhere:
    """What the files of a project define for each other."""
    return Elsewhere(Modules(tuple(paths)), _read, _opened)


@lru_cache(maxsize=MOST_FILES)
def _read(path: str) -> str | None:
    try:
        return content_of(Path(path)).decode(errors="replace")
    except NotReadError:  # Its own row says so.
        return None


def _opened(path: str, text: str, elsewhere: Elsewhere) -> Module | None:
    known = by_suffix().get(Path(path).suffix.lower())
    if known is None:
        return None
    language, grammar = known
    if language.language == "python":
        return python_module(text, path, elsewhere)
    return ParsedFile(text, language, grammar, path, elsewhere)
