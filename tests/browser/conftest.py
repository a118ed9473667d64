"""A demonstration, and a browser to look at it: Debian's Chromium, driven by Playwright."""

import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.browser.demonstration import Demonstration

PICTURES = Path(__file__).parent / "pictures"  # what the pages look like, for people; not kept by git
NAMES = ("chromium", "chromium-browser", "google-chrome")
OPTIONS = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync")
QUIET = ("--disable-background-networking", "--disable-component-update")
WIDE, PHONE = {"width": 1440, "height": 900}, {"width": 390, "height": 844}
LOOKS = {
    "light": {"viewport": WIDE, "color_scheme": "light"},
    "dark": {"viewport": WIDE, "color_scheme": "dark"},
    "phone": {"viewport": PHONE, "color_scheme": "light", "has_touch": True, "is_mobile": True},
}
WITHIN = 15_000  # ms
NO_CHROMIUM = "no Chromium here: nobody looked at the pages. Debian: apt-get install chromium"

Visit = Callable[..., Page]


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demonstration]:
    """Four simulated machines with lively traffic."""
    one = Demonstration(tmp_path_factory.mktemp("demo"))
    yield one
    one.stop()


# As long as the module and no longer: while Playwright runs, no other test of this process can have an event loop.
@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """The browser; without one the test is skipped."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        pytest.skip(NO_CHROMIUM)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=[*OPTIONS, *QUIET])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def contexts(chromium: Browser, demo: Demonstration) -> Iterator[Mapping[str, BrowserContext]]:
    """Look → a browser of that look, signed in to the demonstration as its admin."""
    made = {look: chromium.new_context(base_url=demo.url, **options) for look, options in LOOKS.items()}
    page = made["light"].new_page()
    page.goto("/admin/login/?next=/admin/")
    page.get_by_label("Username").fill("admin")
    page.get_by_label("Password").fill("demo")
    page.get_by_role("button", name="Log in").click()
    page.wait_for_url("**/admin/")
    for context in made.values():
        context.add_cookies(made["light"].cookies())
        context.set_default_timeout(WITHIN)
    yield made
    for context in made.values():
        context.close()


@pytest.fixture
def visit(contexts: Mapping[str, BrowserContext]) -> Iterator[Visit]:
    """Opens pages as the admin: `visit("/fleet/", "dark")`. In the end no page may have had anything to complain of."""
    complaints: list[str] = []
    with ExitStack() as pages:

        def opened(path: str, look: str = "light") -> Page:
            page = contexts[look].new_page()
            pages.callback(page.close)
            _listen(page, complaints)
            page.goto(path)
            return page

        yield opened
    assert not complaints, "\n".join(complaints)


def _listen(page: Page, complaints: list[str]) -> None:
    """Write down what the console, a script or a request of this page complains of."""
    page.on("console", lambda said: said.type in ("error", "warning") and complaints.append(f"{page.url}: {said.text}"))
    page.on("pageerror", lambda error: complaints.append(f"{page.url}: {error}"))
    page.on("response", lambda answer: answer.status >= 400 and complaints.append(f"{answer.status} {answer.url}"))
