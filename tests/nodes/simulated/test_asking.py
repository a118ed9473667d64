import pytest

from nodes.simulated.asking import cut, keep_alive, option
from nodes.simulated.faults import EngineError
from nodes.simulated.machine import FOREVER

from .raw import HELLO, raw


@pytest.mark.parametrize(
    ("given", "seconds"),
    [(5, 5), ("10m", 600), ("1h30m", 5400), ("1.5s", 1.5), ("300ms", 0.3), (-1, FOREVER), ("-1m", FOREVER), (0, 0)],
)
def test_keep_alive_is_a_number_of_seconds_or_a_duration(given, seconds):
    assert keep_alive({"keep_alive": given}) == pytest.approx(seconds)


def test_keep_alive_without_a_unit_is_refused():
    with pytest.raises(EngineError, match='time: invalid duration "5"'):
        keep_alive({"keep_alive": "5"})


def test_an_option_of_the_wrong_type_is_a_server_error():
    with pytest.raises(EngineError, match='option "num_ctx" must be of type integer') as raised:
        option({"options": {"num_ctx": "big"}}, "num_ctx")
    assert raised.value.status == 500


def test_a_limit_below_zero_is_none():
    assert option({"options": {"num_predict": -1}}, "num_predict") is None


def test_a_prompt_that_does_not_fit_is_cut_to_about_half_the_context():
    assert cut(5000, 4096) == 2050


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "missing request body"),
        (b"{bad json", "invalid character 'b' looking for beginning of object key string"),
        (b"x", "invalid character 'x' looking for beginning of value"),
        (b'{"model":', "unexpected EOF"),
        ({"messages": []}, "model is required"),
        ({"model": 3}, "json: cannot unmarshal number into Go struct field .model of type string"),
        ({"model": "m", "messages": "hi"}, "json: cannot unmarshal string into Go struct field .messages"),
        ({"model": "m", "messages": ["hi"]}, "json: cannot unmarshal string into Go struct field .messages"),
        ({"model": "m", "stream": "no"}, "json: cannot unmarshal string into Go struct field .stream of type bool"),
    ],
)
async def test_a_bad_body_is_answered_400_in_gos_words(ollama, body, message):
    answer = await raw(ollama, "POST", "/api/chat", body)
    assert answer.status == "400 Bad Request"
    assert answer.json()["error"].startswith(message)


async def test_the_type_of_the_request_does_not_matter(ollama):
    body = {"model": "smollm2:135m", "messages": HELLO, "stream": False}
    answer = await raw(ollama, "POST", "/api/chat", body, {"Content-Type": "text/plain"})
    assert answer.status == "200 OK"
