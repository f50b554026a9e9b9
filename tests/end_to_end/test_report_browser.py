"""The report in a real browser: quiet, readable at every width, accessible, valid."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

from end_to_end.command import calibrate
from end_to_end.real_programs import browser, problems
from fakes import FakeClock, FakeHasher, swept
from hashcost.storage.profile import save_profile
from measured import HARD, eight_rows, hostile

pytestmark = pytest.mark.slow

DESKTOP: Final[ViewportSize] = {"width": 1280, "height": 800}
PHONE: Final[ViewportSize] = {"width": 390, "height": 844}
PAGES: Final = ("eight", "several", "hostile", "audit")
Scheme: TypeAlias = Literal["light", "dark"]


@dataclass(frozen=True)
class Opened:
    """A page as it is shown, and what the browser said and asked for meanwhile."""

    page: Page
    said: list[str]
    asked_for: list[str]


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report of eight rows, one of two profiles and a sweep, and one of hostile names."""
    folder = tmp_path_factory.mktemp("pages")
    save_profile(eight_rows(), folder / "eight.json")
    save_profile(HARD, folder / "hard.json")
    save_profile(hostile(), folder / "hostile.json")
    clock = FakeClock()
    swept_profile = swept(clock, FakeHasher(clock), costs="1000,2000,5000").profile
    save_profile(swept_profile, folder / "sweep.json")
    for page, origins in (
        ("eight", ("eight",)),
        ("several", ("eight", "hard", "sweep")),
        ("hostile", ("hostile",)),
    ):
        names = [f"{origin}.json" for origin in origins]
        ended = calibrate("report", *names, "-o", f"{page}.html", cwd=folder)
        assert ended.code == 0, ended.err
    policies = [word for name in ("owasp", "fips", "anssi-bp28") for word in ("--policy", name)]
    ended = calibrate("report", "eight.json", *policies, "-o", "policies.html", cwd=folder)
    assert ended.code == 0, ended.err
    (folder / "users.txt").write_text(
        "bob:$2b$08$" + "a" * 53 + "\n" + "5f4dcc3b5aa765d61d8327deb882cf99\n"
    )
    audited = ("audit", "users.txt", "--format", "html", "--output", "audit.html")
    assert calibrate(*audited, *policies, cwd=folder).code == 0
    return folder


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """A browser without a window."""
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=browser())
        yield launched
        launched.close()


def opened(
    chromium: Browser,
    path: Path,
    *,
    viewport: ViewportSize = DESKTOP,
    scheme: Scheme = "light",
    script: bool = True,
) -> Opened:
    """Open a page; the context keeps it until the browser ends."""
    context = chromium.new_context(
        viewport=viewport, color_scheme=scheme, java_script_enabled=script
    )
    page = context.new_page()
    shown = Opened(page=page, said=[], asked_for=[])
    page.on("console", lambda message: shown.said.append(message.text))
    page.on("pageerror", lambda error: shown.said.append(str(error)))
    page.on("request", lambda request: shown.asked_for.append(request.url))
    page.goto(path.as_uri())
    return shown


def violations_of(page: Page) -> list[dict[str, Any]]:
    """What axe finds; not everything that it finds to be right, which takes as long again."""
    violations: list[dict[str, Any]] = (
        Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    )
    return violations


def test_a_page_is_quiet_fits_and_is_accessible(chromium: Browser, pages: Path) -> None:
    """On a desktop and a phone, light and dark: nothing on the console, nothing asked for but
    the file itself, no page wider than the screen, and nothing for axe to find.
    """
    path = pages / "several.html"
    shown = opened(chromium, path)
    for viewport, scheme in (
        (DESKTOP, "light"), (DESKTOP, "dark"), (PHONE, "light"), (PHONE, "dark")
    ):  # fmt: skip
        shown.page.set_viewport_size(viewport)
        shown.page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        wide, room = shown.page.evaluate(
            "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"
        )
        violations = violations_of(shown.page)

        assert wide <= room == viewport["width"]
        assert [] == [
            (violation["id"], node["html"])
            for violation in violations
            for node in violation["nodes"]
        ]
    shown.page.evaluate("document.querySelector('img').removeAttribute('alt')")
    assert "image-alt" in {violation["id"] for violation in violations_of(shown.page)}
    assert [] == shown.said
    assert {path.as_uri()} == {url for url in shown.asked_for if not url.startswith("data:")}


@pytest.mark.parametrize("name", ["policies", "several", "hostile", "audit"])
@pytest.mark.parametrize("width", [390, 768, 1056, 1057, 1280])
def test_no_column_is_beside_the_screen(
    chromium: Browser, pages: Path, name: str, width: int
) -> None:
    """Every cell, with the verdicts of three policies, stands on the screen without scrolling."""
    page = opened(chromium, pages / f"{name}.html", viewport={"width": width, "height": 800}).page
    beyond = page.evaluate(
        """() => [...document.querySelectorAll("td, th")].filter(cell => {
            const [inner, outer] = [cell, cell.closest(".scroll")].map(
                element => element.getBoundingClientRect().right);
            return inner > outer + 0.5 || inner > innerWidth;
        }).map(cell => cell.textContent)"""
    )

    assert page.locator("td").count() > 5
    assert [] == beyond


def test_a_phone_shows_the_costs(chromium: Browser, pages: Path) -> None:
    """The cost to use stands on a phone's screen before anything is scrolled sideways."""
    page = opened(chromium, pages / "eight.html", viewport={"width": 375, "height": 700}).page
    cells = page.locator("table").first.locator("tbody .bold").all()
    boxes = [cell.bounding_box() for cell in cells]

    assert boxes
    for box in boxes:
        assert box is not None
        assert box["x"] + box["width"] <= 375


def test_dark_is_dark_and_print_is_not(chromium: Browser, pages: Path) -> None:
    """The page follows the scheme, charts too; on paper it is dark on white in both."""
    light, dark = (
        opened(chromium, pages / "eight.html", scheme=scheme).page for scheme in ("light", "dark")
    )

    def colors(page: Page) -> tuple[str, str]:
        script = """() => [getComputedStyle(document.body).backgroundColor,
            getComputedStyle(document.querySelector(".chart")).filter]"""
        background, chart = page.evaluate(script)
        return background, chart

    assert ("rgb(255, 255, 255)", "none") == colors(light)
    assert ("rgb(20, 23, 27)", "invert(0.9) hue-rotate(180deg)") == colors(dark)
    for page in (light, dark):
        page.emulate_media(media="print")
        assert ("rgb(255, 255, 255)", "none") == colors(page)
        assert not page.locator(".downloads").is_visible()
        assert page.locator(".chart").first.is_visible()


def test_it_is_read_without_a_script(chromium: Browser, pages: Path) -> None:
    """Without scripts the answer and the charts are seen, and the figures are saved."""
    page = opened(chromium, pages / "eight.html", script=False).page

    assert page.get_by_text("Use argon2id").is_visible()
    assert 0 < page.locator(".chart").first.evaluate("image => image.naturalWidth")
    with page.expect_download() as download:
        page.get_by_role("link", name="eight.csv").click()
    saved = download.value
    assert "eight.csv" == saved.suggested_filename
    assert 9 == len(saved.path().read_text("utf-8").splitlines())


def test_the_policy_stops_a_script(chromium: Browser, pages: Path) -> None:
    """Were markup ever to slip through, the page's own policy would keep it from running."""
    slipped = pages / "slipped.html"
    page = (pages / "eight.html").read_text("utf-8")
    slipped.write_text(page.replace("<h1>", "<script>document.title = 'run'</script><h1>"))
    shown = opened(chromium, slipped)

    assert "run" != shown.page.title()
    assert any("Content Security Policy" in message for message in shown.said)


def test_pages_are_valid_html(pages: Path) -> None:
    """A validator finds nothing that the HTML standard forbids, but an id that stands twice in a
    page that is wrong, so that its silence counts.
    """
    wrong = pages / "wrong.html"
    wrong.write_text(
        '<!DOCTYPE html><html lang="en"><head><title>x</title></head><body>'
        '<p id="a">x</p><p id="a">y</p></body></html>',
        "utf-8",
    )
    text = problems(wrong, *(pages / f"{name}.html" for name in PAGES))
    (line,) = text.splitlines()

    assert "wrong.html" in line
    assert "no-dup-id" in line


def test_two_machines_fit_a_mail(tmp_path: Path) -> None:
    """At most 300 kB with every chart: one answer at the top, and a ± beside each time."""
    profile = Path(__file__).parents[2] / "docs/examples/server.json"
    (tmp_path / profile.name).write_bytes(profile.read_bytes())
    ended = calibrate("report", profile.name, str(profile), "-o", "-", cwd=tmp_path)
    top, _, below = ended.out.partition("<table")
    times = re.findall(r"\d [mµ]?s\b[^<]*", below.partition("</table>")[0])

    assert len(ended.out.encode()) <= 300_000
    assert (1, 0) == (top.count('class="answer"'), below.count('class="answer"'))
    assert times
    assert [] == [time for time in times if "±" not in time]
