"""The words around a digest: what is a password, what holds a hash, what makes something else.

They are parts of names, as programs write them; which digest is kept is told in `digests`.
"""

import re
from collections.abc import Iterator
from typing import Final

_ALGORITHM: Final = re.compile(
    r"(?:(?P<family>md|blake|ripemd)[-_]?(?P<version>5|2[bs]?|3|160)"
    r"|(?P<sha>sha)[-_]?(?P<third>3)?[-_.]?(?P<bits>512|384|256|224|1)|(?P<only>sha3))(?![0-9])",
    re.IGNORECASE,
)
"""The name of a fast digest: `MD5`, `sha-256`, `SHA3_512`, `blake2b`."""
KEYED: Final = re.compile(
    r"hmac|cipher|pbkdf|bcrypt|scrypt|crypt\b|argon|ssha|createsign|verif|check|valid|compare|\bis"
    r"|convertmd5|(?<![a-z])crypt_?(?:md5|sha)|apr1?_?md5",
    re.IGNORECASE,
)
"""Words of something else than a plain digest of its own. ``cryptMD5`` is crypt(3) with $1$, and
``apr_md5`` Apache's with $apr1$;
``convertMD5`` of the ``MD5Util`` that many Java programs copy only XORs each character with a
``t``."""
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|_|(?<=[A-Z])(?=[A-Z][a-z])")
"""Where one word of a name ends and the next one begins."""
_PASSWORDS: Final = frozenset({"password", "passwd", "pwd", "passphrase"})
"""The words for a password."""
SALT: Final = re.compile(r"salt|pepper", re.IGNORECASE)
"""Words for a text that is added to a password."""
IS_SALT: Final = re.compile(r"(?:salt|pepper)$", re.IGNORECASE)
"""The name of such a text, and not of a hash that has one: ``password_salt``."""
IS_SEED: Final = re.compile(r"seed|mnemonic|entropy", re.IGNORECASE)
"""The name of what keys are made of, such as a wallet's."""
_USER: Final = re.compile(
    r"(?:sys_?)?(?:user|login|account|member)(?:_?(?:name|id|no|code))?|e?mail", re.IGNORECASE
)
"""The name of a user, which some programs add to the password besides a salt."""
_HASHED: Final = frozenset({"hash", "hashed", "encrypted", "encoded", "md5", "sha1", "sha256"})
"""Words of a name that say that it holds a hash already."""
_ENCODINGS: Final = r"utf\w*|ascii\w*|unicode\w*|encoding|\w*charsets?|latin\w*"
_ENCODING: Final = re.compile(_ENCODINGS, re.IGNORECASE)
"""A word for an encoding, or for what has encodings."""
_NEUTRAL: Final = re.compile(
    rf"{_ENCODINGS}|default|bytes?|string|str|to_s"
    r"|buffer|hex|base64|fmt|new|await|mut|this|self|as|and|(?:text_?)?enc(?:oder)?",
    re.IGNORECASE,
)
"""Words that say how a text becomes bytes."""
_PATH: Final = re.compile(
    r"(?P<path>[^\W\d]\w*+(?:(?:\?\.|\?->|\.|::|->)\w++|\[\s*+['\":]?\w++['\"]?\s*+\])*+[?!]?+)"
    r"(?P<called>\s*+\((?:\s*+['\"](?P<asked>\w++)['\"]\s*+\))?)?"
)
"""A value or a function, or a value that a function is asked for by its name."""
_LITERAL: Final = re.compile(
    r"(?P<before>[\[(]\s*+)?(?:\b[fbru]{1,2}(?=['\"])|[$@](?=\"))?"
    r"(?:'(?:[^'\\]|\\.)*+'|\"(?:[^\"\\]|\\.)*+\"|`[^`]*+`)",
    re.IGNORECASE,
)
"""A text in quotation marks, with what opens in front of it."""
_INSERTED: Final = re.compile(r"[$#]?\{(?P<whole>[^{}]*+)\}|\$(?P<name>[^\W\d]\w*+)")
"""A value that is inserted into a text."""
_KEPT: Final = re.compile(
    r"pass_?wo?r?d|pwd|(?<![a-z])pw(?![a-z])|pass_?phrase|pass_?hash|hash", re.IGNORECASE
)
"""The name of something that holds a password or its hash."""
_OTHER: Final = re.compile(
    r"key|token|cache|(?<![a-z])i[dv](?![a-z])|etag|check_?sum|file|url|path|session|cookie"
    r"|sign|color|hash_?map|secret|auth_?string|nonce|challenge|finger",
    re.IGNORECASE,
)
"""Words of a name that tell of another use."""
GOES_ON: Final = re.compile(
    r"bcrypt|scrypt|argon|pbkdf|hmac|crypt$|hash_?pw|check_?pw|password_(?:hash|verify)"
    r"|passw\w{0,20}encoder|pass\w{0,20}_hash$|from_?password|and_?password|cipher|(?<![a-z])aes|fernet"
    r"|secret_?box|derive|key(?:spec)?$|hkdf|verify|matches",
    re.IGNORECASE,
)
"""Functions that make something else of a digest: a hasher, an HMAC, a cipher."""
SENDS: Final = re.compile(
    r"(?:^|[._])(?:post|patch|fetch|ajax|request|axios|send\w{0,20}|emit|dispatch|invoke|url_?encode"
    r"|urlopen|publish|query_?params)$",
    re.IGNORECASE,
)
"""Functions that give a value to a server, which may hash it."""
SENDS_MAP: Final = re.compile(r"log_?in|sign_?in(?!g)|auth", re.IGNORECASE)
"""Functions that do so if they are given a map."""
COMPARES: Final = re.compile(r"equal|compare|cmp$|(?:\b|_)eq$|match", re.IGNORECASE)
"""Functions that compare two values."""
VERIFIES: Final = re.compile(
    r"verif|valid|compare|^_*+(?:check|match|is(?:_|(?-i:[A-Z])))|check$", re.IGNORECASE
)
"""Functions that tell whether a password is right, and make no hash."""
CONVERTS: Final = re.compile(
    r"hex|b64|base_?64|encode|decode|string|^str$|sprintf|format|bytes?|upper|lower|trim|strip|convert"
    r"|^from|concat|join|buffer|slice|substr|^new$|copy|array|escape|quote|digest|^some$|^ok$"
    r"|^append$|^into$|update|finali[sz]e|^sum$|wrap|expect|^hash$|^return$|^pack$",
    re.IGNORECASE,
)
"""Functions that write a digest in another way."""
_PREPARES: Final = re.compile(
    rf"{CONVERTS.pattern}|bytes|^get|clean|slashes|special|secure|entities|unquote|^from|value"
    r"|^text|^input$",
    re.IGNORECASE,
)
"""Functions that make a password ready for a digest."""
SETS: Final = re.compile(r"^(?:set|update|save|store|change|with)", re.IGNORECASE)
"""Functions that keep what they are given."""
MAKES_HASHES: Final = re.compile(
    r"(?:hash|encrypt|encode|digest|md5|sha)\w{0,20}?(?:pass|pwd)|(?:pass|pwd)\w{0,20}?(?:hash|encrypt|md5|sha)",
    re.IGNORECASE,
)
"""A function that makes the hash of a password, by its name."""
DIGESTS_ANY: Final = re.compile("hash|digest", re.IGNORECASE)
"""The name of a function that makes the digest that it is told."""
HASHES: Final = re.compile(r"(?:hash|encrypt|encod|digest)(?:er|or|ing)", re.IGNORECASE)
"""The name of a type whose objects hash."""
IS_HASH: Final = re.compile(
    r"(?:hashed|encrypted|encoded)_?(?:pass|pwd)|(?:pass|pwd)\w{0,10}?hash(?:ed)?$", re.IGNORECASE
)
"""The name of a type whose objects are hashes of passwords."""
ENCODES: Final = re.compile("encrypt|encode", re.IGNORECASE)
"""The name of a function that makes what is stored of a password, as Spring's encoders have."""
OF_VISIT: Final = re.compile(r"session|cookie", re.IGNORECASE)
"""Something that lasts as long as a visit."""


def is_password(name: str) -> bool:
    """Tell by the last word of a name whether it is a password that is not hashed yet."""
    words = [word.lower() for word in _CAMEL.split(name) if word]
    return bool(words) and words[-1] in _PASSWORDS and _HASHED.isdisjoint(words)


def names_a_password(name: str) -> bool:
    """Tell whether a name has a word for a password anywhere."""
    return not _PASSWORDS.isdisjoint(map(str.lower, _CAMEL.split(name)))


def is_kept(name: str) -> bool:
    """Tell whether something of this name holds a password or its hash."""
    return _KEPT.search(name) is not None and _OTHER.search(name) is None


def names_in(text: str) -> Iterator[str]:
    """List the last words of the values in an expression, without functions and encodings."""
    for literal in _LITERAL.finditer(text):
        for inserted in _INSERTED.finditer(literal[0]):
            yield from names_in(inserted["whole"] or inserted["name"] or "")
    plain = _LITERAL.sub(_key_of, text)
    for part in _PATH.finditer(plain):
        names = re.findall(r"\w+", part["path"])
        if part["asked"] and is_password(part["asked"]):
            yield part["asked"]
            continue
        if part["called"]:
            name = names.pop()
            is_accessor = name.lower().startswith("get") and is_password(name)
            if is_accessor or digest_named(name) or not _PREPARES.search(name):
                names.append(name)
        neutral = []
        while names and _NEUTRAL.fullmatch(names[-1]):
            neutral.append(names.pop())
        # A value has one encoding, ``nonce.utf8``; before several words of one is its package.
        is_package = len(neutral) > 1 and any(_ENCODING.fullmatch(word) for word in neutral)
        if names and (is_password(names[-1]) or not is_package):
            yield names[-1]


def _key_of(literal: re.Match[str]) -> str:
    """Keep a literal that may be a key: ``form['password']``, ``form.get('password')``.

    One with a per cent sign is a format.
    """
    before: str = literal["before"] or ""
    if before and "%" not in literal[0]:
        return literal[0]
    return before


def is_of_password(argument: str) -> bool:
    """Tell whether an argument is a password, maybe with a salt, or with one and a user's name."""
    names = list(names_in(argument))
    others = [name for name in names if not is_password(name)]
    # Without a salt, a name and a password may be the key of a cache, or a token.
    if SALT.search(argument):
        others = [name for name in others if not _USER.fullmatch(name)]
    # A password may say itself that a salt is in it: ``salted_password``.
    return any(map(is_password, names)) and all(map(SALT.search, others))


def digest_named(text: str) -> str:
    """Name the algorithm in a text; empty if none is there, or it is not a plain digest."""
    match = _ALGORITHM.search(text)
    if match is None or KEYED.search(text):
        return ""
    if match["only"]:
        return "sha3"
    if match["family"]:
        return f"{match['family']}{match['version']}".lower()
    if match["third"]:
        return f"sha3-{match['bits']}"
    return f"sha{match['bits']}"
