from nodes.fleet import use_fleet
from nodes.fleet.glance import glance


def test_a_process_without_a_fleet_sees_none() -> None:
    use_fleet(None)
    assert glance() is None
