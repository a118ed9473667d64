"""A demonstration, and a browser to look at it: Debian's Chromium, driven by Playwright."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, StorageState, sync_playwright

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
WITHIN = 10_000  # ms
NO_CHROMIUM = "no Chromium here: nobody looked at the pages. Debian: apt-get install chromium"

Opener = Callable[..., Page]


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demonstration]:
    """Four simulated machines with lively traffic."""
    one = Demonstration(tmp_path_factory.mktemp("demo"))
    yield one
    assert one.stop() == 0, one.log


# As long as the package and no longer: while Playwright runs, no other test of this process can have an event loop.
@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    """The browser; without one the test is skipped."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        pytest.skip(NO_CHROMIUM)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=[*OPTIONS, *QUIET])
        yield browser
        browser.close()


@pytest.fixture(scope="package")
def signed_in(chromium: Browser, demo: Demonstration) -> StorageState:
    """The cookies of the demonstration's admin."""
    with context(chromium, demo, "light") as visitor:
        page = visitor.new_page()
        page.goto("/admin/login/?next=/admin/")
        page.get_by_label("Username").fill("admin")
        page.get_by_label("Password").fill("demo")
        page.get_by_role("button", name="Log in").click()
        page.wait_for_url("**/admin/")
        return visitor.storage_state()


@pytest.fixture
def visit(chromium: Browser, demo: Demonstration, signed_in: StorageState) -> Iterator[Opener]:
    """Opens pages as the admin: `visit("/fleet/", "dark")`. In the end no page may have had anything to complain of."""
    complaints: list[str] = []
    contexts: dict[str, BrowserContext] = {}
    with ExitStack() as stack:

        def opened(path: str, look: str = "light") -> Page:
            if look not in contexts:
                contexts[look] = stack.enter_context(context(chromium, demo, look, signed_in))
            page = contexts[look].new_page()
            listen(page, complaints)
            page.goto(path)
            return page

        yield opened
    assert not complaints, "\n".join(complaints)


def listen(page: Page, complaints: list[str]) -> None:
    """Write down what the console, a script or a request of this page complains of."""
    page.on("console", lambda said: said.type in ("error", "warning") and complaints.append(f"{page.url}: {said.text}"))
    page.on("pageerror", lambda error: complaints.append(f"{page.url}: {error}"))
    page.on("response", lambda answer: answer.status >= 400 and complaints.append(f"{answer.status} {answer.url}"))


@contextmanager
def context(
    chromium: Browser, demo: Demonstration, look: str, cookies: StorageState | None = None
) -> Iterator[BrowserContext]:
    """A browser of this look, with these cookies, at home at the demonstration."""
    one = chromium.new_context(base_url=demo.url, storage_state=cookies, **LOOKS[look])
    one.set_default_timeout(WITHIN)
    try:
        yield one
    finally:
        one.close()
