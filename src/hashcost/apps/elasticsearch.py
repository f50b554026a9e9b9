"""Elasticsearch: ``xpack.security.authc.password_hashing.algorithm``.

Read in elastic/elasticsearch at 01195333, x-pack/plugin/core/…/authc/support/Hasher.java,
and its tests of XPackSettings; an enumeration, in which the cost is part of the name.
"""

from __future__ import annotations

import re

from hashcost.apps.factors import JAVA
from hashcost.apps.files.acceptance import with_ranges
from hashcost.apps.files.yaml_costs import named, of_first_document
from hashcost.apps.files.yaml_file import Value, values
from hashcost.apps.interface import App, Default, Found, Limits, Scheme
from hashcost.core.errors import UnreadableInputError, printable
from hashcost.core.model import Params

_KEY = "xpack.security.authc.password_hashing.algorithm"
_HASHER = "elastic/elasticsearch, x-pack/…/authc/support/Hasher.java"
_REFUSED = "the node does not start"
_ITERATIONS = (1000, 10_000, 50_000, 100_000, 500_000, 1_000_000)
_NAME = re.compile(
    r"(?:bcrypt(?P<cost>[0-9]{1,2})?|pbkdf2(?:_stretch)?(?:_(?P<iterations>[0-9]{1,9}))?)"
)


def _write_bcrypt(params: Params) -> str:
    return f"{_KEY}: bcrypt{params['cost']}\n"


def _write_pbkdf2(params: Params) -> str:
    return f"{_KEY}: pbkdf2_{params['iterations']}\n"


def _found(value: Value) -> Found:
    match = _NAME.fullmatch(value.text.strip().lower())
    if match is None:
        shown = printable(value.text)[:40]
        raise UnreadableInputError(
            f"line {value.line}: {_KEY} is {shown!r}, which Elasticsearch does not know"
        )
    bcrypt = match[0].startswith("bcrypt")
    params = (
        {"cost": int(match["cost"] or 10)}
        if bcrypt
        else {"iterations": int(match["iterations"] or 10_000)}
    )
    return Found(
        hasher="bcrypt" if bcrypt else "pbkdf2-sha512",
        params=params,
        line=value.line,
        wins=value.wins,
        why=value.why,
        written=value.written or match[0],
    )


def _read(text: str) -> tuple[Found, ...]:
    found = of_first_document(values(text))
    return with_ranges([_found(each) for each in named(found, _KEY)], APP.schemes, APP.title)


APP = App(
    name="elasticsearch",
    title="Elasticsearch",
    schemes=(
        Scheme(
            hasher="bcrypt",
            library="jBCrypt's code in Elasticsearch",
            timing=JAVA["bcrypt"],
            keys={"cost": f"{_KEY} (bcrypt4 to bcrypt14)"},
            limits={"cost": Limits(minimum=4, maximum=14, beyond=_REFUSED)},
            write=_write_bcrypt,
            defaults=(Default(since="6.4", params={"cost": 10}, source=_HASHER),),
        ),
        Scheme(
            hasher="pbkdf2-sha512",
            library="Java's PBKDF2WithHmacSHA512",
            timing=JAVA["pbkdf2-sha512"],
            keys={"iterations": f"{_KEY} (pbkdf2_1000 to pbkdf2_1000000)"},
            limits={
                "iterations": Limits(
                    minimum=1000, maximum=1_000_000, allowed=_ITERATIONS, beyond=_REFUSED
                )
            },
            write=_write_pbkdf2,
            defaults=(Default(since="6.4", params={"iterations": 10_000}, source=_HASHER),),
            note="in FIPS mode write pbkdf2_stretch_ with the same number; short passwords fail"
            " without",
        ),
    ),
    comment="# {}",
    read=_read,
    places=("config/elasticsearch.yml", "/etc/elasticsearch/elasticsearch.yml"),
    rehashes="never; a password change is needed",
    sources=(_HASHER,),
    note="It is static: every node needs it and a restart. A duplicate key stops the node.",
)
