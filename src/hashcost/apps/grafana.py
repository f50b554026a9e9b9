"""Grafana has no cost to set."""

from __future__ import annotations

from hashcost.apps.interface import Untunable

APP = Untunable(
    name="grafana",
    title="Grafana",
    what="PBKDF2 with SHA-256, always 10000 iterations for 50 bytes, which is two blocks",
    instead="Let OAuth, SAML or LDAP authenticate, and disable the login form.",
    sources=("grafana/grafana, pkg/util/encoding.go (EncodePassword)",),
)
