"""The costs that source code sets, and those that it does not tell."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from hashcost.core.algorithms import MemoryLimit
from hashcost.core.errors import Unread
from hashcost.core.measurement import Params


@dataclass(frozen=True, kw_only=True)
class Setting:
    """A call that sets a cost; ``why`` says why the cost is unknown.

    ``path`` is that of its file, among several. The call ``sets`` a setting of the whole
    project, or ``follows`` such settings if it leaves its cost out; what it ``replaces`` decides
    nothing any more, and what it ``ignores`` only for other calls. ``hasher`` is empty if
    unknown. ``unread`` is the reason if a file was not read that may hold the cost. What
    ``is_unfit`` is not a password hash at any cost; what
    ``is_key`` makes a key for encryption, what ``is_of_no_password`` hashes a random token, or
    only compares, and what ``is_dummy`` makes a hash that nobody has.
    """

    line: int
    call: str
    why: str = ""
    in_tests: bool = False
    path: Path = Path()
    library: str = field(default="", compare=False)
    hasher: str = ""
    sets: str = field(default="", compare=False)
    follows: tuple[str, ...] = field(default=(), compare=False)
    replaces: str = field(default="", compare=False)
    ignores: str = field(default="", compare=False)
    unread: Unread | None = None
    is_unfit: bool = False
    is_key: bool = False
    is_of_no_password: bool = False
    is_dummy: bool = False


@dataclass(frozen=True, kw_only=True)
class SetCost(Setting):
    """A cost that a file sets; ``why`` says what the cost depends on.

    Params that are not ``written`` in the call are defaults; ``lines`` are those of the others'
    numbers, and ``depends`` what these depend on. ``environment`` is the variable that may set
    them instead. ``memory_limit`` is the setting of the call that bounds scrypt's memory. A hash
    has so many output ``blocks`` of PBKDF2, if the call says how long it is. ``named`` is what
    the call names the params, if it takes each as a plain number. PBKDF2 of one iteration
    ``may_be_step``, after a derivation, unless what it hashes is called a password.
    """

    hasher: str
    params: Params
    written: tuple[str, ...] = field(default=(), compare=False)
    lines: Mapping[str, int] = field(default_factory=dict, compare=False)
    depends: str = field(default="", compare=False)
    environment: str = field(default="", compare=False)
    memory_limit: MemoryLimit | None = field(default=None, compare=False)
    blocks: int | None = field(default=None, compare=False)
    named: Mapping[str, str] = field(default_factory=dict, compare=False)
    may_be_step: bool = field(default=False, compare=False)


class Unresolved(Exception):  # noqa: N818 - no error: the file does not say it
    """A cost is unknown; ``follows`` names the settings of the project that decide it.

    ``hasher`` is its algorithm, if not the rule's.
    """

    def __init__(self, why: str, follows: tuple[str, ...] = (), hasher: str | None = None) -> None:
        super().__init__(why)
        self.follows = follows
        self.hasher = hasher
