"""Lines and server-sent events out of pieces."""

from routing.translation.lines import Lines, ServerSent, named


def test_a_line_waits_for_its_end() -> None:
    lines = Lines()
    assert (lines.feed(b"one\ntw"), lines.feed(b"o\n")) == ([b"one"], [b"two"])


def test_a_last_line_needs_no_end() -> None:
    lines = Lines()
    assert (lines.feed(b"one"), lines.end(), lines.end()) == ([], [b"one"], [])


def test_an_end_may_be_cut_in_two() -> None:
    lines = Lines()
    assert (lines.feed(b"one\r"), lines.feed(b"\ntwo\r\n")) == ([], [b"one", b"two"])


def test_data_on_several_lines_is_one() -> None:
    assert ServerSent().feed(b"data: one\ndata: two\n\n") == [b"one\ntwo"]


def test_comments_and_other_fields_are_no_data() -> None:
    assert ServerSent().feed(b": ping\nid: 1\nevent: x\nretry: 5\ndata:one\n\n: ping\n\n") == [b"one"]


def test_a_last_event_needs_no_empty_line() -> None:
    events = ServerSent()
    assert (events.feed(b"data: one\n"), events.end()) == ([], [b"one"])


def test_an_event_is_named_by_its_type() -> None:
    assert named({"type": "ping"}) == b'event: ping\ndata: {"type":"ping"}\n\n'
