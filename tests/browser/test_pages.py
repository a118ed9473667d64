"""Every page, looked at: in light, in dark, on a phone. The pictures are kept for people."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import LOOKS, PICTURES, Opener
from tests.browser.demonstration import Demonstration

# Page → its path, and what is there once it is drawn.
PAGES = {
    "dashboard": ("/fleet/", "#decisions tbody tr >> nth=8"),
    "admin": ("/admin/", "#content"),
    "nodes": ("/admin/nodes/node/", "#result_list tr >> nth=4"),
    "node": ("/admin/nodes/node/studio/change/", "#id_name"),
    "decisions": ("/admin/routing/routingdecision/", "#result_list tr >> nth=2"),
    "decision": ("/admin/routing/routingdecision/{decision}/change/", ".decision"),
    "parameters": ("/admin/parameters/", ".entry >> nth=20"),
    "keys": ("/admin/routing/apikey/", "#content"),
    "api-docs": ("/fleet/api/docs", ".opblock >> nth=5"),
}
SIDEWAYS = "document.scrollingElement.scrollWidth - document.documentElement.clientWidth"


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("name", PAGES)
def test_a_page_has_nothing_to_complain_of_and_fits(name: str, look: str, demo: Demonstration, visit: Opener) -> None:
    path, drawn = PAGES[name]
    page = visit(path.format(decision=_decided(demo) if "{" in path else ""), look)
    expect(page.locator(drawn)).to_be_visible()
    PICTURES.mkdir(exist_ok=True)
    page.screenshot(path=PICTURES / f"{name}-{look}.png", full_page=name != "parameters")
    assert page.evaluate(SIDEWAYS) == 0


def _decided(demo: Demonstration) -> str:
    """A decision that had several candidates, and is in the database."""
    rows = demo.look("decisions?limit=100&outcome=completed")["results"]
    return str(max(rows, key=lambda row: len(row["candidates"]))["id"])
