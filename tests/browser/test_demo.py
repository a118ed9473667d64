"""The demonstration in a browser: seen and steered; and each page looked at, in light, in dark, on a phone."""

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import LOOKS, PICTURES, WITHIN, Visit
from tests.browser.demonstration import Demonstration
from tests.conftest import until

# Page → its path, and what is there once it is drawn.
PAGES = {
    "dashboard": ("/fleet/", "#decisions tbody tr >> nth=8"),
    "nodes": ("/admin/nodes/node/", "#result_list tr >> nth=4"),
    "decision": ("/admin/routing/routingdecision/{decision}/change/", ".decision"),
    "parameters": ("/admin/parameters/", ".entry >> nth=20"),
    "api-docs": ("/fleet/api/docs", ".opblock >> nth=5"),
}
MORE_PAGES = {
    "admin": ("/admin/", "#content"),
    "node": ("/admin/nodes/node/studio/change/", "#id_name"),
    "decisions": ("/admin/routing/routingdecision/", "#result_list tr >> nth=2"),
    "latencies": ("/admin/routing/latencyhistory/", "#content"),
    "keys": ("/admin/routing/apikey/", "#content"),
}
LOOKED_AT = [(name, look) for name in PAGES for look in LOOKS] + [(name, "light") for name in MORE_PAGES]
SIDEWAYS = "document.scrollingElement.scrollWidth - document.documentElement.clientWidth"
SMALL = "FLEET_SCORE_ROLE_SMALL_THRESHOLD_GB"
SEEN_WITHIN = 60.0  # seconds from the start


def test_a_decision_arrives_live(demo: Demonstration, visit: Visit) -> None:
    page = visit("/fleet/")
    expect(page.get_by_role("status")).to_have_text("live · 4 nodes")
    node, decision = demo.ask()
    expect(_row(page, decision)).to_contain_text("completed", timeout=WITHIN)
    expect(_row(page, decision)).to_contain_text(node)


def test_a_chosen_decision_tells_why_it_went_where_it_went(demo: Demonstration, visit: Visit) -> None:
    page = visit("/fleet/")
    node, decision = demo.ask()
    _row(page, decision).click()
    expect(page.get_by_role("heading", name=f"Why {node}?")).to_be_visible()
    expect(page.locator("#why tr.win td")).to_have_count(10)  # node, eight signals, score


def test_a_changed_weight_changes_routing_until_it_is_reverted(demo: Demonstration, visit: Visit) -> None:
    demo.warm("studio", "laptop")
    assert demo.ask()[0] == "studio"
    page = visit("/admin/parameters/")
    page.get_by_label(SMALL).fill("10")  # now the model counts as a small one, and those belong on slower machines
    page.get_by_label("Note", exact=True).fill("9 GB are little")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("1 parameter changed.")).to_be_visible()
    until(lambda: demo.ask()[0] == "laptop")
    page.goto(f"/admin/parameters/{SMALL}/")
    page.get_by_role("button", name="Revert").click()
    expect(page.get_by_text(f"{SMALL} is 8 again.")).to_be_visible()
    until(lambda: demo.ask()[0] == "studio")


def test_a_paused_node_is_seen_eliminated_with_that_reason(demo: Demonstration, visit: Visit) -> None:
    nodes, dashboard = visit("/admin/nodes/node/"), visit("/fleet/")
    _act(nodes, "studio", "pause")
    until(lambda: demo.ask()[0] == "laptop")
    _row(dashboard, demo.ask()[1]).click()
    expect(dashboard.locator("#why tr.gone", has_text="studio")).to_contain_text("out: paused")
    expect(dashboard.locator("article[data-node=studio]")).to_contain_text("paused")
    _act(nodes, "studio", "resume")
    until(lambda: demo.ask()[0] == "studio")


@pytest.mark.parametrize(("name", "look"), LOOKED_AT)
def test_a_page_has_nothing_to_complain_of_and_fits(name: str, look: str, demo: Demonstration, visit: Visit) -> None:
    path, drawn = (PAGES | MORE_PAGES)[name]
    page = visit(path.format(decision=_decided(demo) if "{" in path else ""), look)
    expect(page.locator(drawn)).to_be_visible(timeout=WITHIN)
    PICTURES.mkdir(exist_ok=True)
    page.screenshot(path=PICTURES / f"{name}-{look}.png")
    assert page.evaluate(SIDEWAYS) == 0


def test_a_newcomer_sees_pre_warm_and_rebalance_within_a_minute(demo: Demonstration) -> None:
    until(lambda: "pre-warmed" in demo.log and "moved" in demo.log, SEEN_WITHIN)


def _row(page: Page, decision: str) -> Locator:
    return page.locator(f"#decisions tr[data-id='{decision}']")


def _decided(demo: Demonstration) -> str:
    """A decision that had candidates."""
    rows = demo.look("decisions?limit=100&outcome=completed")["results"]
    return str(max(rows, key=lambda row: len(row["candidates"]))["id"])


def _act(nodes: Page, name: str, action: str) -> None:
    """One of the actions of the admin's list on one node."""
    nodes.goto("/admin/nodes/node/")
    nodes.locator("#result_list tr", has_text=name).locator("input.action-select").check()
    nodes.locator("select[name=action]").select_option(action)
    nodes.locator("button[name=index]").click()
    expect(nodes.get_by_text(f"{action.capitalize()}: {name}.")).to_be_visible()
