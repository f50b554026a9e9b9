"""Kafka: the iterations of SCRAM, by ``kafka-configs.sh``.

Read in apache/kafka: clients/…/scram/internals/ScramMechanism.java at 17a29a55 and
metadata/…/ScramControlManager.java; the broker refuses what is outside 4096..16384.
"""

from __future__ import annotations

import re

from hashcost.apps.factors import JAVA_SCRAM
from hashcost.apps.files.acceptance import with_ranges
from hashcost.apps.files.counts import whole_number
from hashcost.apps.interface import App, Default, Found, Limits, Scheme, Write
from hashcost.core.model import Params

_MECHANISM = "apache/kafka, clients/…/security/scram/internals/ScramMechanism.java"
_CREDENTIAL = re.compile(r"SCRAM-SHA-(?P<bits>256|512)=\[(?P<settings>[^\]\n]*)\]")
_ITERATIONS = re.compile(r"(?:^|,)\s*iterations=(?P<count>[^,]*)")
_DEFAULT = 4096


def _writing(bits: int) -> Write:
    def write(params: Params) -> str:
        return (
            'kafka-configs.sh --bootstrap-server "$BOOTSTRAP_SERVER" --alter \\\n'
            '  --entity-type users --entity-name "$KAFKA_USER" --add-config \\\n'
            f'  "SCRAM-SHA-{bits}=[iterations={params["iterations"]},password=$KAFKA_PASSWORD]"\n'
        )

    return write


def _read(text: str) -> tuple[Found, ...]:
    """Every credential that a script or its output has; each user has their own."""
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("#"):
            continue
        for match in _CREDENTIAL.finditer(line):
            given = _ITERATIONS.search(match["settings"])
            count = (
                _DEFAULT if given is None else whole_number(given["count"], "iterations", number)
            )
            found.append(
                Found(
                    hasher=f"pbkdf2-sha{match['bits']}",
                    params={"iterations": count},
                    line=number,
                    why="" if given is not None else f"{_DEFAULT}, as no iterations are given",
                )
            )
    return with_ranges(found, APP.schemes, APP.title)


def _scheme(bits: int) -> Scheme:
    hasher = f"pbkdf2-sha{bits}"
    return Scheme(
        hasher=hasher,
        library="the Java client",
        timing=JAVA_SCRAM[hasher],
        keys={"iterations": f"SCRAM-SHA-{bits}=[iterations=…]"},
        limits={
            "iterations": Limits(minimum=4096, maximum=16384, beyond="refused by the controller")
        },
        write=_writing(bits),
        defaults=(Default(since="0.10.2", params={"iterations": _DEFAULT}, source=_MECHANISM),),
        client_side=True,
        note="it is set for one user, together with the password",
    )


APP = App(
    name="kafka",
    title="Apache Kafka",
    schemes=(_scheme(512), _scheme(256)),
    comment="# {}",
    read=_read,
    places=(),
    rehashes="never; a password change is needed",
    sources=(_MECHANISM, "apache/kafka, metadata/…/controller/ScramControlManager.java"),
)
