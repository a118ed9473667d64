from nodes.simulated.wire import event, go_json, go_time


def test_angle_brackets_are_escaped_as_go_does():
    assert go_json({"a": "<b>&"}) == b'{"a":"\\u003cb\\u003e\\u0026"}'


def test_times_have_nine_digits_at_most_and_no_trailing_zeros():
    assert go_time(1_796_067_097_575_850_900) == "2026-11-30T19:31:37.5758509Z"


def test_a_whole_second_has_no_fraction():
    assert go_time(0) == "1970-01-01T00:00:00Z"


def test_an_event_ends_with_an_empty_line():
    assert event({"a": 1}) == b'data: {"a":1}\n\n'
