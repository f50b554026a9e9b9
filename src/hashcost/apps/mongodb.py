"""MongoDB: ``scramSHA256IterationCount`` and ``scramIterationCount`` in ``mongod.conf``.

Read in mongodb/mongo: src/mongo/db/auth/sasl_options.idl, and its test
jstests/…/scram_iteration_count (4999 is refused, 1,000,000 taken).
"""

from __future__ import annotations

from hashcost.apps.files.acceptance import with_ranges
from hashcost.apps.files.yaml_costs import Group, costs, of_first_document
from hashcost.apps.files.yaml_file import values
from hashcost.apps.interface import App, Default, Found, Limits, Scheme, Timing, Write
from hashcost.core.model import Params

_OPTIONS = "mongodb/mongo, src/mongo/db/auth/sasl_options.idl"
_KEYS = {"pbkdf2-sha256": "scramSHA256IterationCount", "pbkdf2-sha1": "scramIterationCount"}
_PYMONGO = Timing(
    implementation="hashlib",
    source="PyMongo, for one, derives the key with hashlib; each driver has its own, and it keeps"
    " the key for the next connection",
)


def _writing(key: str) -> Write:
    def write(params: Params) -> str:
        return f"setParameter:\n  {key}: {params['iterations']}\n"

    return write


def _read(text: str) -> tuple[Found, ...]:
    found = of_first_document(values(text))
    read = [
        each
        for hasher, key in _KEYS.items()
        for each in costs(
            found, Group(hasher=hasher, keys={"iterations": f"setParameter.{key}"}), used=True
        )
    ]
    return with_ranges(read, APP.schemes, APP.title)


def _scheme(hasher: str, default: Default, note: str) -> Scheme:
    key = _KEYS[hasher]
    return Scheme(
        hasher=hasher,
        library="the client's driver",
        timing=_PYMONGO,
        keys={"iterations": f"setParameter.{key}"},
        limits={
            "iterations": Limits(minimum=5000, maximum=2**31 - 1, beyond="mongod does not start")
        },
        write=_writing(key),
        defaults=(default,),
        client_side=True,
        note=note,
    )


APP = App(
    name="mongodb",
    title="MongoDB",
    schemes=(
        _scheme(
            "pbkdf2-sha256",
            Default(since="4.0", params={"iterations": 15_000}, source=_OPTIONS),
            "a limit of 100,000 in drivers is proposed (specifications #1959)",
        ),
        _scheme(
            "pbkdf2-sha1",
            Default(since="3.0", params={"iterations": 10_000}, source=_OPTIONS),
            "SCRAM-SHA-1 is for old clients; createUser can leave it out (mechanisms)",
        ),
    ),
    comment="# {}",
    read=_read,
    places=("/etc/mongod.conf",),
    rehashes="never; a password change is needed",
    sources=(_OPTIONS,),
)
