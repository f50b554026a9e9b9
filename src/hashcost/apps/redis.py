"""Redis has no cost to set."""

from __future__ import annotations

from hashcost.apps.interface import Untunable

APP = Untunable(
    name="redis",
    title="Redis",
    what="one unsalted SHA-256 of each ACL password",
    instead="Give each user a random password of 128 bits or more (ACL GENPASS), and keep the"
    " port to those who need it.",
    sources=("redis/redis, src/acl.c (ACLHashPassword)",),
)
