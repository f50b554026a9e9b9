"""The table, the sentences and the drawing of a measurement."""

import math
import statistics
from collections.abc import Sequence
from html import escape
from typing import Final

from hashcost.core.units import format_setting

from .measuring import STATES, TARGET, Result, Run
from .peers import DATA

WORDS: Final = "True time of a hash at the answered cost ÷ target: a row a tool, a dot a run"
_FIRST: Final = "calibrate, first run"
_LIMITS: Final = {"bcrypt": (0.465, 1.04), "pbkdf2-sha256": (0.93, 1.04), "argon2id": (0.85, 1.02)}
"""What true ÷ target of a first run must be; bcrypt's next step is twice as long."""
_NONE_AT: Final = 270
_TICKS: Final = {-4: "≤ 1/16", -3: "1/8", -2: "1/4", -1: "1/2", 0: "1", 1: "2", 2: "4"}
_STYLE: Final = """
text{font:13px system-ui,sans-serif;fill:#24292f} .b{font-weight:600} .page{fill:#fff}
.grid{stroke:#d0d7de} .one{stroke:#57606a;stroke-width:2} .y{fill:#c2410c;fill-opacity:.75}
.q{stroke:#0969da;stroke-width:7;stroke-linecap:round;stroke-opacity:.75;fill:none}
@media(prefers-color-scheme:dark){text{fill:#e6edf3} .page{fill:#161b22} .grid{stroke:#30363d}
.one{stroke:#8b949e} .q{stroke:#58a6ff} .y{fill:#ffa657}}
"""

Row = dict[int, list[Run]]
"""The runs of one tool in each state that it ran in."""


def rows(result: Result) -> dict[tuple[str, str], Row]:
    """By hasher and tool, each in the order of the data."""
    found: dict[tuple[str, str], Row] = {(peer.hasher, peer.name): {} for peer in DATA.peer}
    for run in result.runs:
        found[run.hasher, run.tool].setdefault(run.busy, []).append(run)
    hashers = list(dict.fromkeys(peer.hasher for peer in DATA.peer))
    in_order = sorted(found, key=lambda key: hashers.index(key[0]))
    return {key: found[key] for key in in_order if found[key]}


def table(result: Result) -> str:
    """Markdown: a row a tool."""
    busy = ("beside three", "beside eight")
    seconds = ("Seconds: quiet", *busy, "Runs")
    names = ("Hasher", "Tool", "Usual answer", "True ÷ target: quiet", *busy, *seconds)
    lines = [f"| {' | '.join(names)} |", "|---" * len(names) + "|"]
    for (hasher, tool), row in rows(result).items():
        states = [row.get(busy, []) for busy in STATES]
        answered = sorted((r for r in states[0] if r.truth), key=lambda r: r.truth or 0.0)
        answer = format_setting(answered[len(answered) // 2].answer.params) if answered else ""
        walls = (f"{_wall(runs):.2g}" if runs else "" for runs in states)
        counts = ", ".join(str(len(runs)) for runs in states)
        cells = (hasher, tool, answer, *map(_range, states), *walls, counts)
        lines.append(f"| {' | '.join(cells)} |")
    absent = (f"{name}: {why}." for name, why in result.absent.items())
    return "\n".join([*lines, "", "Not measured:", "", *(f"- {line}" for line in absent)])


def _ratios(runs: Sequence[Run]) -> list[float]:
    return [run.truth / TARGET for run in runs if run.truth is not None]


def _range(runs: Sequence[Run]) -> str:
    ratios = _ratios(runs)
    if not ratios:
        return "no answer" if runs else ""
    low, middle, high = (f"{of(ratios):.2f}" for of in (min, statistics.median, max))
    return low if low == high else f"{middle} ({low} to {high})"


def _wall(runs: Sequence[Run]) -> float:
    return statistics.median(run.answer.wall for run in runs)


def headline(result: Result) -> list[str]:
    """What matters most."""
    by_row = rows(result)
    ours = {hasher: row for (hasher, tool), row in by_row.items() if tool == _FIRST}
    busy = {hasher: _range(row[3]) for hasher, row in ours.items() if 3 in row}
    theirs = [
        statistics.median(_ratios(row[3]))
        for (_, tool), row in by_row.items()
        if not tool.startswith("calibrate") and 3 in row and _ratios(row[3])
    ]
    held = [
        run.answer.interval[0] <= run.truth <= run.answer.interval[1]
        for run in result.runs
        if run.answer.interval and run.truth
    ]
    unsure = sum(run.answer.code == 3 for run in result.runs if run.answer.interval)
    quick = {hasher: f"{_wall(row[0]):.2g} s" for hasher, row in ours.items() if 0 in row}
    beside_three = (
        "Beside three CPU-bound processes, the cost that a first run gives is worth this share of"
        f" the target, median and range: {_listed(busy)}. The costs of {len(theirs)} other tools"
        f" are worth {min(theirs):.2f} to {max(theirs):.2f}, in the median"
        f" {statistics.median(theirs):.2f}."
    )
    intervals = (
        f"The ± held the true time in {sum(held)} of {len(held)} runs, and {unsure or 'none'}"
        " of them ended with 3. No other tool prints a ±."
    )
    walls = f"On the quiet machine, a first run takes this long: {_listed(quick)}."
    return [beside_three, intervals, walls]


def _listed(figures: dict[str, str]) -> str:
    return ", ".join(f"{name} {figure}" for name, figure in figures.items())


def sentences(result: Result) -> list[str]:
    """What was wanted beside what came, and what faster tools give up."""
    by_row = rows(result)
    said = headline(result)
    for busy, state in STATES.items():
        within = {}
        for (hasher, tool), row in by_row.items():
            if tool == _FIRST and busy in row and hasher in _LIMITS:
                low, high = _LIMITS[hasher]
                met = sum(low <= ratio <= high for ratio in _ratios(row[busy]))
                within[hasher] = f"{met} of {len(row[busy])} ({low:g} to {high:g})"
        said.append(
            f"First runs whose true ÷ target is within limits, {state}: {_listed(within)}."
        )
    for (hasher, tool), row in by_row.items():
        ours = by_row.get((hasher, _FIRST), {})
        sooner = _wall(ours[0]) - _wall(row[0]) if 0 in ours and 0 in row else 0.0
        if sooner > 0 and not tool.startswith("calibrate") and _ratios(row[0]):
            worth = {state: _range(row[busy]) for busy, state in STATES.items() if busy in row}
            said.append(
                f"{tool} answers {hasher} {sooner:.2g} s sooner. True ÷ target: {_listed(worth)}."
            )
    return said


def drawing(result: Result) -> str:
    """SVG: a row a tool, a dot a run, at true ÷ target on a logarithmic axis."""
    marks: list[str] = []
    y, last = 56, ""
    for (hasher, tool), row in rows(result).items():
        y += 40 if hasher != last else 20
        if hasher != last:
            marks.append(f'<text class="b" x="12" y="{y - 16}">{hasher}</text>')
        last = hasher
        bold = ' class="b"' if tool.startswith("calibrate") else ""
        marks.append(f'<text{bold} x="24" y="{y + 4}">{escape(tool)}</text>')
        busy = [run for state in row if state for run in row[state]]
        quiet = "".join(f"M{_x(run)} {y - 3}h0" for run in row.get(0, []))
        triangles = "".join(f"M{_x(run)} {y}l4 8h-8z" for run in busy)
        marks.append(f'<path class="q" d="{quiet}"/><path class="y" d="{triangles}"/>')
    ticks = {_at(2.0**step): name for step, name in _TICKS.items()} | {_NONE_AT: "none"}
    grid = "".join(
        f'<path class="{"one" if name == "1" else "grid"}" d="M{x} 62V{y + 14}"/>'
        f'<text x="{x}" y="{y + 32}" text-anchor="middle">{name}</text>'
        for x, name in ticks.items()
    )
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 860 {y + 64}" role="img">',
        f"<title>{WORDS}</title><style>{_STYLE}</style>",
        f'<rect class="page" width="860" height="{y + 64}" rx="6"/>',
        f'<text class="b" x="12" y="24">{WORDS}</text>',
        '<path class="q" d="M18 42h0"/><text x="28" y="46">quiet</text>',
        '<path class="y" d="M84 38l4 8h-8z"/>',
        '<text x="94" y="46">beside three or eight CPU-bound processes</text>',
        grid,
        *marks,
        f'<text x="{_at(0.5)}" y="{y + 54}" text-anchor="end">weaker than asked</text>',
        f'<text x="{_at(1.1)}" y="{y + 54}">slower than asked</text></svg>',
    ]
    return "\n".join(lines) + "\n"


def _x(run: Run) -> float:
    """Where a run is; without an answer, or with a hash that does nothing, it is at `none`."""
    return _at(run.truth / TARGET) if run.truth else _NONE_AT


def _at(ratio: float) -> float:
    return round(325 + 515 * (math.log2(min(max(ratio, 1 / 16), 4)) + 4) / 6, 1)
