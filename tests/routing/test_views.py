"""The control API of routing, over Django's test client and a real database."""

import json

import pytest

from nodes.core.values import FleetSnapshot, Latency, NodeSnapshot, QueueDepth, QueueKey
from nodes.fleet import use_fleet
from routing.notebook import notebook
from tests.routing.records import START, here, record, trace

pytestmark = pytest.mark.django_db
URL = "/fleet/api/v1"
QUEUE = QueueKey("studio", "llama3:8b")


class Still:
    """A fleet that is what a test says."""

    def __init__(self, snapshot: FleetSnapshot) -> None:
        self._snapshot = snapshot

    def snapshot(self) -> FleetSnapshot:
        return self._snapshot


@pytest.fixture
def see():
    """Puts a fleet in place of the process's own."""
    yield lambda **values: use_fleet(Still(FleetSnapshot(now=START, **values)))
    use_fleet(None)


def get(path: str, **parameters: object) -> tuple[int, dict]:
    """Status and JSON of a GET."""
    answer = here().get(f"{URL}/{path}", parameters)
    return answer.status_code, answer.json()


def ids(**parameters: object) -> list[str]:
    """The decisions that a list shows, in its order."""
    return [shown["id"] for shown in get("decisions", **parameters)[1]["results"]]


def test_decisions_are_listed_newest_first():
    older, newer = record(at=START), record(at=START + 1)
    assert ids() == [newer, older]


def test_decisions_of_one_moment_are_listed_by_id():
    first, second = record(), record()
    assert ids() == [second, first]


@pytest.mark.parametrize(
    ("columns", "parameters"),
    [
        ({"node": "studio"}, {"node": "studio"}),
        ({"requested_model": "Qwen2.5"}, {"model": "Qwen2.5"}),
        ({"requested_model": "gpt-4", "served_model": "qwen2.5:latest"}, {"model": "Qwen2.5"}),
        ({"outcome": "queue_full"}, {"outcome": "queue_full"}),
        ({"outcome": None}, {"outcome": "running"}),
        ({"key": "laptop"}, {"key": "laptop"}),
        ({"tags": ["a", "nightly"]}, {"tag": "nightly"}),
        ({"at": START + 60}, {"since": START + 60}),
        ({"at": START + 60}, {"since": "2023-11-14T22:14:20Z"}),
        ({"at": START + 60}, {"since": "2023-11-14T22:14:20"}),
        ({"at": START + 60}, {"since": "2023-11-14T23:14:20 01:00"}),
    ],
)
def test_a_filter_shows_what_it_names_and_nothing_else(columns, parameters):
    record()
    wanted = record(**columns)
    assert ids(**parameters) == [wanted]


def test_filters_narrow_each_other():
    record(node="studio")
    wanted = record(node="studio", key="laptop")
    record(key="laptop")
    assert ids(node="studio", key="laptop") == [wanted]


def test_a_model_that_was_asked_and_served_is_listed_once():
    wanted = record(requested_model="qwen2.5:7b", served_model="qwen2.5:7b")
    assert ids(model="qwen2.5:7b") == [wanted]


@pytest.mark.parametrize("parameters", [{}, {"model": "llama3:8b"}])
def test_the_pages_of_a_list_show_each_decision_once(parameters):
    made = [record(at=START + i // 3) for i in range(10)]
    seen, url = [], f"{URL}/decisions?limit=3"
    while url:
        page = here().get(url, parameters if "before" not in url else None).json()
        seen += [shown["id"] for shown in page["results"]]
        url = page["next"]
    assert seen == made[::-1]


def test_the_last_page_has_no_next():
    record()
    assert get("decisions", limit=1)[1]["next"] is None


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("limit", "0"),
        ("limit", "1001"),
        ("limit", "many"),
        ("since", "yesterday"),
        ("since", "1e30"),
        ("since", "nan"),
        ("outcome", "splendid"),
        ("before", "nowhere"),
        ("before", "99999999999999999999999-x"),
        ("node", ""),
        ("nodes", "studio"),
        ("tag", "a\0b"),
    ],
)
def test_a_bad_parameter_is_named(name, value):
    status, answer = get("decisions", **{name: value})
    assert (status, list(answer)) == (400, [name])


def test_a_decision_has_the_form_of_the_contract():
    decision = record(at=START + 0.25, node="studio", total_ms=12.5, tags=["a"])
    status, shown = get(f"decisions/{decision}")
    assert (status, shown) == (
        200,
        {
            "id": decision,
            "at": "2023-11-14T22:13:20.250Z",
            "dialect": "ollama",
            "path": "/api/chat",
            "stream": False,
            "requested_model": "llama3:8b",
            "served_model": None,
            "node": "studio",
            "policy": "",
            "parameters_version": 0,
            "score": None,
            "outcome": "completed",
            "status": None,
            "reason": "",
            "key": None,
            "tags": ["a"],
            "session": None,
            "route": None,
            "held_ms": None,
            "queue_ms": None,
            "first_token_ms": None,
            "total_ms": 12.5,
            "prompt_tokens": None,
            "completion_tokens": None,
            "retries": 0,
            "moves": 0,
            "candidates": [],
            "eliminated": [],
            "eliminated_counts": {},
            "attempts": [],
        },
    )


@pytest.fixture
def live():
    """A request that runs and is in no table yet."""
    request = trace(done=False, node="studio")
    notebook.note(request)
    yield request
    request.done = True
    notebook.note(request)
    notebook.take()
    notebook.written()


def test_a_decision_is_there_while_its_request_runs(live):
    status, shown = get(f"decisions/{live.id}")
    assert (status, shown["node"], shown["outcome"]) == (200, "studio", None)


def test_a_live_decision_has_the_same_form_as_a_stored_one(live):
    assert list(get(f"decisions/{live.id}")[1]) == list(get(f"decisions/{record()}")[1])


def test_an_unknown_decision_is_not_found():
    status, answer = get("decisions/nothing")
    assert (status, list(answer)) == (404, ["detail"])


def test_a_queue_shows_depth_slots_and_waits(see):
    see(
        nodes=(NodeSnapshot("studio", parallel=4),),
        queues={QUEUE: QueueDepth(in_flight=2, pending=1, oldest_at=START - 3)},
        latency={QUEUE: Latency(p75_ms=2000, samples=9)},
    )
    assert get("queues")[1]["results"] == [
        {
            "node": "studio",
            "model": "llama3:8b",
            "in_flight": 2,
            "pending": 1,
            "slots": 4,
            "oldest_wait_s": 3.0,
            "est_wait_s": 6.0,
        }
    ]


def test_a_wait_that_nothing_was_measured_for_is_not_known(see):
    see(queues={QUEUE: QueueDepth(in_flight=1)})
    assert get("queues")[1]["results"][0]["est_wait_s"] is None


def test_a_queue_whose_node_was_removed_has_no_slots(see):
    see(queues={QUEUE: QueueDepth(in_flight=1)})
    assert get("queues")[1]["results"][0]["slots"] == 0


def test_latencies_are_those_of_the_fleet(see):
    see(latency={QUEUE: Latency(p75_ms=2000, samples=9)})
    assert get("latency")[1] == {
        "results": [{"node": "studio", "model": "llama3:8b", "p75_ms": 2000, "samples": 9}],
        "next": None,
    }


@pytest.mark.parametrize("path", ["queues", "latency"])
def test_a_process_without_a_router_says_so(path):
    status, answer = get(path)
    assert (status, "manage.py serve" in answer["detail"]) == (503, True)


CASE = {"now": START, "request": {"models": ["llama3:8b"]}, "nodes": []}


def explained(body: object, **how: str) -> tuple[int, object]:
    """Status and JSON of `POST explain`."""
    answer = here().post(f"{URL}/explain", body, **({"content_type": "application/json"} | how))
    return answer.status_code, answer.json()


def test_a_case_is_explained():
    status, answer = explained(CASE)
    assert (status, answer["outcome"]) == (200, "hold")


def test_a_list_of_cases_is_explained_one_by_one():
    status, answers = explained([CASE, {"request": 7}, 7])
    assert (status, ["error" in answer for answer in answers]) == (200, [False, True, True])


def test_a_bad_case_is_a_bad_request():
    status, answer = explained({"request": 7})
    assert (status, list(answer)) == (400, ["error"])


def test_a_case_needs_no_content_type():
    assert explained(json.dumps(CASE), content_type="text/plain")[0] == 200


@pytest.mark.parametrize("body", [b"", b"{", b"[" * 100_000, b"7"])
def test_a_body_that_is_no_case_is_a_bad_request(body):
    assert explained(body)[0] == 400


@pytest.mark.parametrize("path", ["queues", "latency"])
@pytest.mark.parametrize(
    ("parameters", "shown"), [({}, 2), ({"node": QUEUE.node}, 1), ({"model": "MINE"}, 1), ({"node": "nobody"}, 0)]
)
def test_queues_and_latencies_are_filtered_by_node_and_model(see, path, parameters, shown):
    other = QueueKey("other", "mine:latest")
    see(
        queues={QUEUE: QueueDepth(in_flight=1), other: QueueDepth(in_flight=1)},
        latency={QUEUE: Latency(2000, 9), other: Latency(1000, 9)},
    )
    assert len(get(path, **parameters)[1]["results"]) == shown


@pytest.mark.parametrize("path", ["queues", "latency"])
def test_a_filter_that_queues_do_not_know_is_refused(see, path):
    see()
    assert get(path, outcome="completed")[0] == 400
