from nodes.lib.times import iso


def test_a_time_is_written_in_utc() -> None:
    assert iso(1_700_000_000.5) == "2023-11-14T22:13:20.500Z"


def test_a_time_that_is_not_known_is_none() -> None:
    assert iso(None) is None
    assert iso(0) is None
