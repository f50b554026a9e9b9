"""Programming languages in which no costs are found, so that a scan can name them."""

import re
from collections.abc import Collection
from pathlib import PurePath
from typing import Final

_SUFFIXES: Final = {
    "C": (".c", ".h"),
    "C++": (".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx"),
    "Clojure": (".clj", ".cljc", ".cljs"),
    "CoffeeScript": (".coffee",),
    "ColdFusion": (".cfc", ".cfm"),
    "Common Lisp": (".lisp",),
    "Crystal": (".cr",),
    "D": (".d",),
    "Dart": (".dart",),
    "Delphi": (".dpr", ".pas"),
    "Erlang": (".erl", ".hrl"),
    "F#": (".fs", ".fsx"),
    "Gleam": (".gleam",),
    "Groovy": (".groovy",),
    "Haskell": (".hs",),
    "Julia": (".jl",),
    "Lua": (".lua",),
    "Nim": (".nim",),
    "OCaml": (".ml", ".mli"),
    "Objective-C": (".m", ".mm"),
    "Perl": (".cgi", ".pl", ".pm"),
    "PowerShell": (".ps1", ".psm1"),
    "R": (".r",),
    "Raku": (".raku", ".rakumod"),
    "Razor": (".cshtml", ".razor"),
    "Scala": (".sc", ".scala"),
    "Svelte": (".svelte",),
    "Swift": (".swift",),
    "Tcl": (".tcl",),
    "Visual Basic": (".bas", ".vb"),
    "Vue": (".vue",),
    "Zig": (".zig",),
    "shell": (".bash", ".ksh", ".sh", ".zsh"),
}
_BY_SUFFIX: Final = {end: language for language, ends in _SUFFIXES.items() for end in ends}
_PROGRAMS: Final = {
    **dict.fromkeys((b"bash", b"dash", b"ksh", b"sh", b"zsh"), "shell"),
    b"lua": "Lua",
    b"perl": "Perl",
    b"pwsh": "PowerShell",
    b"tclsh": "Tcl",
}
_PROGRAM: Final = re.compile(rb"#!\s*+(?:/usr/bin/env(?:\s++-S)?\s++|\S*/)?([a-z]+)")
_NAMES_HASH: Final = re.compile(
    rb"bcrypt|scrypt|argon2|pbkdf2|pkcs5s2|blowfish|passlib|pwhash|(?<![a-z])crypt\s?\("
    rb"|hash_?(?:of_?)?(?:the_?)?passw|passw(?:or)?d_?hash",
    re.IGNORECASE,
)
"""The name of a password hash, or of a function that may make one."""


def unread_language(path: PurePath, beginning: bytes) -> str:
    """Name the language of a file, by its name or first line, if that is one of these."""
    suffix = path.suffix.lower()
    if suffix:
        return _BY_SUFFIX.get(suffix, "")
    program = _PROGRAM.match(beginning)
    if program is None:
        return ""
    return _PROGRAMS.get(program[1], "")


def names_password_hash(content: bytes) -> bool:
    """Tell whether a program may hash passwords, by the words in it."""
    return _NAMES_HASH.search(content) is not None


def left_out_as(language: str) -> str:
    """Write the reason why a file of a language is left out."""
    return f"in {language}"


def languages_left_out(reasons: Collection[str]) -> list[str]:
    """List the languages that are among the reasons why files are left out."""
    return [language for language in _SUFFIXES if left_out_as(language) in reasons]
