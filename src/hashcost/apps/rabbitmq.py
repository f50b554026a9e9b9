"""RabbitMQ has no cost to set."""

from __future__ import annotations

from hashcost.apps.interface import Untunable

APP = Untunable(
    name="rabbitmq",
    title="RabbitMQ",
    what="one salted SHA-256, or SHA-512, of each password",
    instead="Use long random passwords, or let LDAP, OAuth 2 or certificates authenticate.",
    sources=("rabbitmq/rabbitmq-server, deps/rabbit/src/rabbit_password_hashing_sha256.erl",),
)
