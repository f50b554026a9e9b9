"""Versions of the two libraries that bring an OpenSSL of their own."""

from __future__ import annotations


def of_hashlib() -> str:
    """The OpenSSL that ``hashlib`` calls, for example ``OpenSSL 3.0.19``."""
    import ssl

    return _short(ssl.OPENSSL_VERSION)


def of_cryptography() -> str:
    """The version of ``cryptography`` and of the OpenSSL inside it."""
    import cryptography
    from cryptography.hazmat.backends.openssl.backend import backend

    return f"{cryptography.__version__} {_short(backend.openssl_version_text())}"


def _short(text: str) -> str:
    """Without the date of its release."""
    return " ".join(text.split()[:2])
