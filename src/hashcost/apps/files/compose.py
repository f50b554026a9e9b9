"""The environments of the services in a Docker Compose file."""

import re
from typing import Final

from hashcost.apps.files.yaml_file import Scalar, values

_SERVICES: Final = re.compile(r"^services\s*:", re.MULTILINE)
_ENVIRONMENT: Final = "environment"
_FILES: Final = "env_file"


def environments(text: str, form: str) -> tuple[str, ...] | None:
    """The variables of each service, on the lines where they stand; `None` if it has none.

    ``form`` is how a line of them is written, with ``{}`` for the name and the value. A
    service that takes variables from files too says so in a last line, ``env_file``.

    Raises:
        UnreadableInputError: it is not YAML.
        UnavailableError: ruamel.yaml is not installed.
    """
    if not _SERVICES.search(text):
        return None
    found = [each for each in values(text) if each.wins and len(each.path) >= 3]
    services = dict.fromkeys(each.path[1] for each in found if each.path[0] == "services")
    count = text.count("\n") + 1
    return tuple(
        _lines([each for each in found if each.path[:2] == ("services", service)], form, count)
        for service in services
    )


def _lines(found: list[Scalar], form: str, count: int) -> str:
    lines = [""] * count
    for each in found:
        if each.path[2] == _ENVIRONMENT and len(each.path) == 4:
            name, value = str(each.path[3]), each.written or each.text
            if isinstance(each.path[3], int):
                name, _, value = value.partition("=")
            lines[each.line - 1] = form.format(name.strip(), value)
        elif each.path[2] == _FILES:
            lines[each.line - 1] = _FILES
    return "\n".join(lines) + "\n"
