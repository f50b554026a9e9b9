"""MinIO has no cost to set."""

from __future__ import annotations

from hashcost.apps.interface import Untunable

APP = Untunable(
    name="minio",
    title="MinIO",
    what="secret keys that it must be able to read, since S3 requests are signed with them",
    instead="Use long random secret keys, a KMS to encrypt them with, or OpenID and LDAP with "
    "short-lived keys.",
    sources=("minio/minio, which has no bcrypt, Argon2 or PBKDF2 of its own",),
)
