"""The input of a call: a password, a key or a token, by the names in the source."""

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from hashcost.source_code.digest_words import is_of_password
from hashcost.source_code.names import is_of_settings
from hashcost.source_code.reading.arguments import text_of
from hashcost.source_code.rules import Rule
from hashcost.source_code.sites import Site
from hashcost.source_code.values import Call, DottedName, Unknown

_NO_PASSWORDS: Final = (
    r"token(?:_?(?:id|hash|digest))*|api_?key|captcha|otp|card_?number|cv[vc]"
    r"|(?:verif\w{1,9}|e?mail|reset|recovery|sms|backup|invit\w{1,6}|confirm\w{0,6}|mfa)_?code"
)
_OF_NO_PASSWORD: Final = re.compile(rf"(?:{_NO_PASSWORDS})(?:\W+\w+)?\W*$", re.IGNORECASE)
"""The name of what nobody chose as a password, maybe converted: ``token.toCharArray``."""
_KEPT_AS_NO_PASSWORD: Final = re.compile(
    rf"(?:{_NO_PASSWORDS}|^code)(?:_?code)?_?(?:hash(?:ed)?|digest)$"
    rf"|^hashed_?(?:(?:{_NO_PASSWORDS})|\w{{0,40}}(?:token|otp|code))$"
    rf"|(?:{_NO_PASSWORDS})_?(?:hash(?:ing)?_?)?(?:context|ctx|hasher)$",
    re.IGNORECASE,
)
"""A name for the hash of what nobody chose as a password, or for an object that makes these."""
_ENDS_IN_NO_PASSWORD: Final = re.compile(rf"(?:{_NO_PASSWORDS})$", re.IGNORECASE)
_HASHES: Final = re.compile(r"hash|encrypt|digest", re.IGNORECASE)
_RANDOM_CODE: Final = re.compile(r"^\w*code .*rand", re.IGNORECASE)
"""A name that does not say what the code is for, with what made it."""
_RANDOM_BYTES: Final = re.compile(r"(?:token_?bytes|urandom|random_?bytes)$", re.IGNORECASE)
"""The name of a function that makes bytes, which nobody can type, and no text of them."""
_DERIVED: Final = re.compile(r"key(?:\W+\w+)?\W*$", re.IGNORECASE)
"""The name of what a password was made into before."""
_IS_SECRET: Final = re.compile(r"(?:key|secret)\W*$", re.IGNORECASE)
"""The end of a name of a key, or of a secret from which keys are made."""
_PASSWORD: Final = re.compile(r"pass|pwd|\bpw\b|\bpin\b|secret", re.IGNORECASE)
"""A word for a password in the name of what is hashed."""


@dataclass(frozen=True)
class Hashed:
    """The input of a call that a rule is about."""

    site: Site
    rule: Rule

    @cached_property
    def name(self) -> str:
        """The name of what the call hashes; empty if unknown."""
        place = self._place
        arguments = self.site.call.arguments
        if self.site.assigns or self.site.is_whole or place >= len(arguments):
            return ""
        data = arguments[place].data
        if isinstance(data, Call | Unknown | DottedName):
            return text_of(data)
        return ""

    @property
    def _place(self) -> int:
        """The place of what the call hashes, which is behind the algorithm."""
        which = self.rule.which
        if which is not None and 0 in which.at:
            return 1
        return 0

    @property
    def is_no_password(self) -> bool:
        """Whether names say that none of what is hashed is a password, such as a token."""
        if self._is_kept_as_no_password:
            return True
        is_inside = _hashes_no_password(self.site.inside)
        # What makes a salt or an object is itself given a number, and no password.
        if self.site.hashes:
            if is_inside:
                return not any(map(_PASSWORD.search, self.site.hashes))
            return all(map(_OF_NO_PASSWORD.search, self.site.hashes))
        written = ""
        if self._place == 0:
            written = self.site.first
        # A password may be made by what makes tokens, too.
        if is_of_password(written):
            return False
        if is_inside and self.name:
            return _PASSWORD.search(self.name) is None
        if _RANDOM_CODE.match(f"{written} {self.name}"):
            return True
        # A rule may be about what hides random data behind a password.
        if not self.rule.given and _RANDOM_BYTES.search(self.name):
            return True
        return any(map(_OF_NO_PASSWORD.search, (written, self.name)))

    @property
    def _is_kept_as_no_password(self) -> bool:
        """Whether the result is kept under the name of the hash of a token or a code."""
        kept_as = self.site.kept_as
        if not _KEPT_AS_NO_PASSWORD.search(kept_as):
            return False
        return not any(map(_PASSWORD.search, (kept_as, self.name, *self.site.hashes)))

    @property
    def is_key(self) -> bool:
        """Whether what is hashed is a key or a secret of the settings, by its name.

        So are the words of a wallet, whose PBKDF2 BIP-39 fixes: another count makes other keys.
        """
        name = self.name
        if "mnemonic" in name.lower():
            return True
        return bool(_IS_SECRET.search(name)) and is_of_settings(name)

    @property
    def is_derived_key(self) -> bool:
        """Whether a key is hashed that was made of a password before."""
        return _DERIVED.search(self.name) is not None

    @property
    def is_called_password(self) -> bool:
        """Whether a word of its name is one for a password."""
        return _PASSWORD.search(self.name) is not None


def _hashes_no_password(name: str) -> bool:
    """Tell whether a function hashes a token or a code, whatever it calls that: ``HashAPIKey``."""
    # One search from each "hash" to the end would take the square of a long name's time.
    word = re.split(r"\W", name)[-1]
    ending = _ENDS_IN_NO_PASSWORD.search(word)
    return ending is not None and _HASHES.search(word, 0, ending.start()) is not None
