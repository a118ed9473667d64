"""One router, one mark."""

from nodes.lib.mark import RouterMark


def test_the_processes_of_one_router_share_its_mark() -> None:
    assert RouterMark.of(b"secret") == RouterMark.of(b"secret")


def test_two_routers_have_two_marks() -> None:
    assert len({RouterMark.of(b"one"), RouterMark.of(b"other"), RouterMark(), RouterMark()}) == 4
