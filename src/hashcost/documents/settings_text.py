"""A file of settings that is written for the user. Pure."""

import json
from collections.abc import Mapping, Sequence


def settings_text(
    *,
    target: str,
    profile: str,
    apps: Mapping[str, Sequence[str]],
    scan: Sequence[str],
) -> str:
    """The text of a hashcost.toml, with comments for whoever edits it.

    A list that would be empty is a comment that shows what belongs there.
    """
    nothing = not apps and not scan
    lines = [
        "# What `calibrate check` holds the costs of this project to.",
        f"target = {_text(target)}  # what one hash may take",
        f"profile = {_text(profile)}  # measured by `calibrate --save {profile}`",
        f'{"" if nothing else "# "}check = []  # costs that stand nowhere else: ["bcrypt=12"]',
    ]
    if scan:
        lines.append(f"scan = {_list(scan)}  # source code to look for costs in")
    if apps:
        lines += ["", "[app]  # applications and the files that configure them"]
        for name, files in apps.items():
            lines.append(f"{name} = {_text(files[0]) if len(files) == 1 else _list(files)}")
    return "\n".join(lines) + "\n"


def _list(values: Sequence[str]) -> str:
    return f"[{', '.join(map(_text, values))}]"


def _text(value: str) -> str:
    """A basic string of TOML, whose escapes are those of JSON but for one character."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
