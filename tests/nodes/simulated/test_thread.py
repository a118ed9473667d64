import json
import urllib.request

import pytest

from nodes.simulated import SimulatedNode
from nodes.simulated.thread import running

CHAT = json.dumps({"model": "m", "prompt": "x", "stream": False}).encode()


def fetch(url, body=None):
    with urllib.request.urlopen(url, body, timeout=10) as answer:
        return json.load(answer)


def test_a_node_answers_from_another_thread():
    with running(SimulatedNode("m=1")) as there:
        assert fetch(f"{there.url}/api/version") == {"version": "0.32.2"}


def test_what_it_saw_can_be_waited_for():
    with running(SimulatedNode("m=1")) as there:
        fetch(f"{there.url}/api/generate", CHAT)
        there.wait_for(lambda: there.node.seen.completed["m:latest"] == 1)


def test_faults_are_set_on_its_own_loop():
    with running(SimulatedNode("m=1")) as there:
        there.do(lambda: there.node.faults.answer(503, "busy"))
        with pytest.raises(urllib.error.HTTPError, match="503") as raised:
            fetch(f"{there.url}/api/generate", CHAT)
        raised.value.close()


def test_it_can_be_killed_and_started_again():
    with running(SimulatedNode("m=1")) as there:
        there.do(there.node.kill)
        with pytest.raises(urllib.error.URLError, match="refused"):
            fetch(f"{there.url}/api/version")
        assert there.do(there.node.start) == there.url
        assert fetch(f"{there.url}/api/version")


def test_at_the_end_nobody_listens():
    with running(SimulatedNode("m=1")) as there:
        url = there.url
    with pytest.raises(urllib.error.URLError, match="refused"):
        fetch(f"{url}/api/version")
