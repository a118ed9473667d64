"""Steering nodes from the admin, as the router's loop in another thread does it."""

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.test import Client

from nodes import roster
from nodes.core.values import DiskModel, NodeSnapshot, ResidentModel
from nodes.fleet import get_fleet, use_fleet
from nodes.fleet.loop import bind
from nodes.fleet.memory import MemoryFleet
from routing import loading
from routing.loading import Told
from tests.routing.records import here

pytestmark = pytest.mark.django_db
NODES = "/admin/nodes/node/"
DISK = {name: DiskModel(name, 4.7) for name in ("a:7b", "b:7b")}
Run = Callable[[Coroutine[Any, Any, Any]], Any]


@pytest.fixture
def run() -> Iterator[Run]:
    """A loop in another thread that owns the fleet; runs coroutines."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    use_fleet(MemoryFleet())
    bind(loop)
    yield lambda work: asyncio.run_coroutine_threadsafe(work, loop).result(5)
    bind(None)
    use_fleet(None)
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


@pytest.fixture
def browser(run: Run) -> Client:
    """The admin's browser; studio has one of its two models in memory, mini none."""
    for name in ("studio", "mini"):
        roster.add(name, f"http://{name}")
    resident = {"a:7b": ResidentModel("a:7b", 6.0)}
    run(get_fleet().put_node(NodeSnapshot("studio", "studio", resident=resident, on_disk=DISK)))
    run(get_fleet().put_node(NodeSnapshot("mini", "mini", on_disk={"b:7b": DISK["b:7b"]})))
    client = here()
    client.force_login(User.objects.create_superuser("admin"))
    return client


def act(browser: Client, action: str, *nodes: str, **more: str) -> Any:
    return browser.post(NODES, {"action": action, "_selected_action": nodes} | more, follow=True)


def messages(answer: Any) -> list[str]:
    return [str(message) for message in answer.context["messages"]]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str, str]]:
    """What the nodes were asked to do."""
    done: list[tuple[str, str, str]] = []

    def stand_in(name: str) -> None:
        async def work(node: str, model: str) -> Told:
            done.append((name, node, model))
            return Told(node != "mini", "done" if node != "mini" else "out of memory")

        work.__name__ = name
        monkeypatch.setattr(loading, name, work)

    stand_in("load")
    stand_in("unload")
    return done


def test_what_is_on_disk_and_not_in_memory_is_offered_to_pre_warm(browser: Client) -> None:
    choices = act(browser, "prewarm", "studio", "mini").context_data["choices"]
    assert choices == [("b:7b", "b:7b", "4.7 GB · on studio, mini")]


def test_what_is_in_memory_is_offered_to_unload(browser: Client) -> None:
    assert [c[0] for c in act(browser, "unload", "studio", "mini").context_data["choices"]] == ["a:7b"]


@pytest.mark.parametrize(("page", "action"), [("prewarm", "prewarm"), ("unload", "unload")])
def test_a_nodes_own_page_leads_to_the_same_question(browser: Client, page: str, action: str, asked: list[Any]) -> None:
    answer = browser.get(f"{NODES}studio/{page}/")
    assert answer.context_data["action"] == action and [row.id for row in answer.context_data["rows"]] == ["studio"]
    assert asked == []


def test_each_chosen_node_that_has_the_model_is_asked(browser: Client, asked: list[Any]) -> None:
    told = messages(act(browser, "prewarm", "studio", "mini", chosen="b:7b"))
    assert sorted(asked) == [("load", "mini", "b:7b"), ("load", "studio", "b:7b")]
    assert sorted(told) == ["b:7b on mini: out of memory.", "b:7b on studio: done."]


def test_what_was_asked_stands_in_the_log_with_what_came_of_it(browser: Client, asked: list[Any]) -> None:
    act(browser, "unload", "studio", chosen="a:7b")
    assert [e.get_change_message() for e in LogEntry.objects.all()] == ["unload a:7b: done"]


def test_a_model_that_is_nowhere_is_asked_of_nobody(browser: Client, asked: list[Any]) -> None:
    assert messages(act(browser, "prewarm", "studio", chosen="gone")) == ["None of these nodes has gone now."]
    assert asked == []


def test_nodes_that_the_router_does_not_see_have_nothing_to_choose(browser: Client) -> None:
    roster.add("attic", "http://attic")
    assert "does not see the nodes" in act(browser, "prewarm", "attic").content.decode()


def test_without_a_loop_it_is_said_that_no_router_answers(browser: Client, asked: list[Any]) -> None:
    bind(None)
    assert messages(act(browser, "unload", "studio", chosen="a:7b")) == [
        "a:7b on studio: no router in this process answers."
    ]


def test_who_may_only_look_steers_nothing(browser: Client, asked: list[Any]) -> None:
    guest = here()
    guest.force_login(User.objects.create_user("guest", is_staff=True))
    assert act(guest, "unload", "studio", chosen="a:7b").status_code == 403
    assert guest.get(f"{NODES}studio/prewarm/").status_code == 403 and asked == []
