"""Hashes behind the names of users, as in htpasswd, shadow(5) and Java's properties."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from hashcost.stored.formats.reading import (
    HASHES,
    NAMED,
    NOT_TEXT,
    OPEN_HASHES,
    SHORTEST,
    HashReader,
    Kind,
)
from hashcost.stored.lines import BROKEN, COMMENT_SIGNS, OVERLONG
from hashcost.stored.named import named_in

# Numbers of fields in passwd(5), Dovecot's passwd-file, shadow(5) and BSD's master.passwd(5).
_TABLE_FIELDS: Final = frozenset({7, 8, 9, 10})
# A name and a password as PgBouncer has them; it ignores what follows. Doubled marks mean one.
PAIR: Final = re.compile(rb'"(?:[^"]|"")*+"[ \t]++"(?P<password>(?:[^"]|"")*+)"(?:[ \t].*+)?')
# A name and a password between blanks, of which a program takes the second.
_TWO_WORDS: Final = re.compile(rb"[^\s:;,=#\"']++[ \t]++(?P<password>[^\s;,\"']++)")
# An account of smbpasswd(5), which pdbedit and programs that dump Active Directory write too.
_NO_HASH: Final = rb"(?:NO PASSWORD)?[X*]+"
_SAMBA: Final = re.compile(
    rb"[^:]*+:[0-9]++:(?P<lm>[0-9A-Fa-f]{32}|%b):(?P<nt>[0-9A-Fa-f]{32}|%b):.*"
    % (_NO_HASH, _NO_HASH)
)
# A name and a hash as Java's files of properties have them, such as those of WildFly.
_PROPERTY: Final = re.compile(rb"[\w.@\\-]++[ \t]*+=[ \t]*+(?P<password>[^=\s].*)")


def behind_names(lines: Iterable[bytes], read: HashReader) -> Iterator[bytes]:
    """Take the text behind the name; in tables of accounts, only the second field.

    Apache ignores what follows a hash, too. A blank divides name and hash if both are in
    quotation marks. Another line without a colon may still be a hash, and is else unreadable.
    """
    for line in lines:
        if line is OVERLONG:
            yield line
            continue
        text = line.strip(b" \t")
        if not text or text.startswith(COMMENT_SIGNS):
            continue
        pair = PAIR.fullmatch(text)
        if pair is not None:
            yield pair["password"].replace(b'""', b'"')
            continue
        samba = _SAMBA.fullmatch(text)
        if samba is not None:
            yield b"$NT$" + samba["nt"]
            older = b"$LM$" + samba["lm"]
            # Few accounts have this one still, and a mark stands in its place.
            if read(older).kind is Kind.FAST:
                yield older
            continue
        if _is_property(text, read):
            _, _, password = text.partition(b"=")
            yield password.lstrip(b" \t")
            continue
        name, colon, rest = text.partition(b":")
        if colon and _begins_with_algorithm(text, rest, read):
            yield text
            continue
        # A colon inside brackets ends no name.
        if text.endswith(b")") and name.count(b"(") > name.count(b")"):
            yield text
            continue
        if not colon:
            yield _without_colon(text, read)
            continue
        rest = rest.lstrip(b" \t")
        fields = text.count(b":") + 1
        field = _first_field(rest, read, is_of_table=fields in _TABLE_FIELDS)
        yield _without_realm(_without_roles(field.rstrip(b" \t"), read), read)


def are_properties(lines: Iterable[bytes], read: HashReader) -> bool:
    """Tell whether every line but comments is a name, an equals sign and a hash."""
    entries = [line for line in lines if not line.startswith(COMMENT_SIGNS)]
    return bool(entries) and all(_is_property(line, read) for line in entries)


def _is_property(text: bytes, read: HashReader) -> bool:
    """Tell whether a line is a name, an equals sign and a hash."""
    match = _PROPERTY.fullmatch(text)
    return match is not None and read(match["password"]).kind in OPEN_HASHES


def _without_colon(text: bytes, read: HashReader) -> bytes:
    """Take a hash that has no name before it, or only a blank between."""
    behind = behind_blank(text, read)
    if behind is not None:
        return behind
    if len(text) < SHORTEST or read(text).kind not in HASHES:
        return BROKEN
    return text


def behind_blank(text: bytes, read: HashReader) -> bytes | None:
    """Take the second of two words if it is a digest that names no format.

    What names one is found in any line, also in that of a configuration.
    """
    words = _TWO_WORDS.fullmatch(text)
    if words is None or read(text).kind in HASHES:
        return None
    reading = read(words["password"])
    if reading.kind not in OPEN_HASHES or "unmarked" not in reading.notes:
        return None
    return words["password"]


def _begins_with_algorithm(text: bytes, rest: bytes, read: HashReader) -> bool:
    """Tell whether the name before a hash is that of its algorithm, not of a user."""
    # A format that names its algorithm there is none behind another name.
    if read(text).kind in HASHES and read(b"user:" + rest).kind not in HASHES:
        return True
    behind = read(rest.strip(b" \t"))
    if behind.kind in HASHES or not NAMED.keys().isdisjoint(behind.notes):
        return False
    whole = read(text)
    # No name begins like a format, of which this may be cut off.
    if whole.kind is Kind.UNREADABLE and whole.format not in NOT_TEXT:
        return True
    return behind.kind is Kind.UNRECOGNISED and not NAMED.keys().isdisjoint(whole.notes)


def _first_field(rest: bytes, read: HashReader, *, is_of_table: bool) -> bytes:
    """Take the hash from all that is behind a name."""
    field, _, _ = rest.partition(b":")
    # Hashes of MediaWiki and Joomla have colons themselves.
    if read(rest).kind in HASHES and not (is_of_table and read(field).kind in HASHES):
        return rest
    names_its_format = any(text == field for _, text in named_in(field, read))
    if is_of_table or names_its_format:
        return field
    return rest


def _without_roles(text: bytes, read: HashReader) -> bytes:
    """Take the hash in front of roles, as Jetty's files of users have them."""
    if read(text).kind in HASHES:
        return text
    password, comma, _ = text.partition(b",")
    reading = read(password)
    # Of plain text, the whole may be the password.
    if comma and (reading.kind in OPEN_HASHES or reading.format.startswith("jetty")):
        return password
    return text


def _without_realm(text: bytes, read: HashReader) -> bytes:
    """Take the digest behind a realm, as in htdigest, or behind its salt."""
    if read(text).kind is not Kind.UNRECOGNISED:
        return text
    realm, _, digest = text.rpartition(b":")
    # A salt that looks like a digest stands before keys of scrypt and PBKDF2 as well.
    if read(digest).kind is not Kind.FAST or read(realm).kind is Kind.FAST:
        return text
    # Iterations and a salt stand before a key, too.
    if any(field.isdigit() for field in realm.split(b":")):
        return text
    return digest
