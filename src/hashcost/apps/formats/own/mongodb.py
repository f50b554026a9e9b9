"""MongoDB: the iterations of each SCRAM mechanism that users get credentials of."""

import re
from collections.abc import Sequence
from typing import Final

from hashcost.apps.files.acceptance import with_ranges
from hashcost.apps.files.yaml_costs import costs, of_first_document
from hashcost.apps.files.yaml_file import Scalar
from hashcost.apps.interface import App, Found

_MECHANISMS: Final = "setParameter.authenticationMechanisms"
_SCRAM: Final = {
    "SCRAM-SHA-256": ("pbkdf2-sha256", "setParameter.scramSHA256IterationCount"),
    "SCRAM-SHA-1": ("pbkdf2-sha1", "setParameter.scramIterationCount"),
}


def read(app: App, text: str) -> tuple[Found, ...]:
    """The cost that the file sets for each mechanism, if it does not leave that out."""
    found = of_first_document(text)
    listed = [each for each in found if each.wins and each.name.startswith(_MECHANISMS)]
    enabled = set(re.findall(r"[\w-]+", " ".join(each.text for each in listed))) or set(_SCRAM)
    return with_ranges(
        [one for name in _SCRAM for one in _of(name, found, used=name in enabled)], app
    )


def _of(name: str, found: Sequence[Scalar], *, used: bool) -> tuple[Found, ...]:
    hasher, key = _SCRAM[name]
    why = "" if used else "authenticationMechanisms leaves it out"
    return costs(found, hasher, {"iterations": key}, {}, used=used, because=why)
