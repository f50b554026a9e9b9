"""The output, the salt and the memory limit that a call sets besides its cost."""

from dataclasses import dataclass
from typing import Final

from hashcost.core.algorithms import DIGEST_BYTES, MemoryLimit
from hashcost.core.measurement import Params
from hashcost.source_code.costs import Unresolved
from hashcost.source_code.parsed.translation import REPEATED
from hashcost.source_code.reading.arguments import GivenArguments
from hashcost.source_code.rules import ArgumentPlace
from hashcost.source_code.values import Call, is_resolved, number_of

_SCRYPT_R: Final = 8  # Percival, "Stronger key derivation via sequential memory-hard functions"
_OUTPUT_BYTES: Final = 16  # NIST SP 800-132, 5: at least 112 bits


@dataclass(frozen=True)
class BesideCost:
    """The output, the salt and the memory limit of a call."""

    given: GivenArguments

    def notes(self, params: Params) -> list[str]:
        """Say what weakens a hash besides its cost."""
        notes = []
        if self.given.rule.hasher == "scrypt" and params["r"] < _SCRYPT_R:
            notes.append(f"r is below {_SCRYPT_R}, the value that scrypt is designed for")
        notes += self._refused_memory(params)
        if self._has_fixed_salt():
            notes.append("its salt is written in the source, the same for every password")
        size = self._output_bytes()
        if size is not None and size < _OUTPUT_BYTES:
            notes.append(f"its output has {size} bytes, fewer than {_OUTPUT_BYTES}")
        return notes

    def blocks(self, hasher: str) -> int | None:
        """Count the blocks of PBKDF2's output; `None` if the call does not say its length."""
        block = DIGEST_BYTES.get(hasher.removeprefix("pbkdf2-"))
        size = self._output_bytes()
        if block is None or size is None:
            return None
        return -(-size // block)

    def note_on_length(self, hasher: str) -> str:
        """Say that the time is of one block of PBKDF2's output, if its length is not told."""
        block = DIGEST_BYTES.get(hasher.removeprefix("pbkdf2-"))
        output = self.given.rule.output
        if block is None or output is None or self._output_bytes() is not None:
            return ""
        length = self.given.value(output)
        if length is None or is_resolved(length.data):
            return ""
        return f"one hash takes this time for each {block} bytes of its output"

    def _output_bytes(self) -> int | None:
        """Tell how long the hash is; ``None`` if the call does not say."""
        output = self.given.rule.output
        if output is None:
            return None
        length = self.given.value(output)
        if length is None:
            return None
        data = length.data
        # A source may have a function of that name, too.
        if isinstance(data, Call) and data.function == REPEATED and len(data.arguments) == 2:
            data = data.arguments[1].data
        size = number_of(data)
        # PHP takes none for the whole hash, and no other library makes an empty one.
        if not size:
            return None
        match output.unit:
            case "bits":
                return size // 8
            case "hex" if not self._is_true(output.raw):
                return size // 2
            case _:
                return size

    def _is_true(self, where: ArgumentPlace | None) -> bool:
        if where is None:
            return False
        value = self.given.value(where)
        return value is not None and value.data is True

    def memory_limit(self) -> MemoryLimit | None:
        """Find the setting that bounds the memory of a hash; `None` if it is unknown."""
        place = self.given.rule.memory_limit
        if place is None:
            return None
        allows = place.default
        try:
            given = self.given.value(place)
        except Unresolved:  # Whoever raises the cost there raises the limit, too.
            return None
        # To OpenSSL, 0 stands for its default.
        if given is not None and number_of(given.data) != 0:
            allows = number_of(given.data)
        if allows is None:
            return None
        return MemoryLimit(name=place.names[0], allows=allows)

    def _refused_memory(self, params: Params) -> list[str]:
        """Say that the library refuses a cost for the memory that it takes."""
        limit = self.memory_limit()
        if limit is None:
            return []
        library = self.given.rule.library
        return [
            f"{library} refuses it: it takes {needed:,} bytes, and {name} is {limit.allows:,}"
            for name, needed in limit.raised_for(params).items()
        ]

    def _has_fixed_salt(self) -> bool:
        """Tell whether the source writes out the salt, or the text with the salt and the cost."""
        text = self.given.rule.text
        if text is not None and text.maker and self.given.is_text(text):
            return True
        salts = (param for param in self.given.rule.params.values() if param.salts)
        return any(map(self.given.is_text, salts))
