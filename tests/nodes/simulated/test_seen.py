import asyncio

import pytest

from nodes.simulated.seen import Seen


async def test_waiting_ends_when_the_condition_holds():
    seen = Seen()
    waiting = asyncio.create_task(seen.wait_for(lambda: seen.loads["m"] == 2))
    await asyncio.sleep(0)
    seen.note(seen.loads, "m")
    await asyncio.sleep(0)
    seen.note(seen.loads, "m")
    await waiting


async def test_waiting_in_vain_ends_in_a_timeout():
    with pytest.raises(TimeoutError):
        await Seen().wait_for(lambda: False, timeout=0.01)


def test_a_request_that_ends_well_is_completed():
    seen = Seen()
    with seen.request("m"):
        pass
    assert seen.completed == {"m": 1}


def test_a_request_whose_client_left_is_cancelled():
    seen = Seen()
    with pytest.raises(asyncio.CancelledError), seen.request("m"):
        raise asyncio.CancelledError
    assert (seen.cancelled["m"], seen.completed["m"]) == (1, 0)


def test_the_peak_stays_when_the_requests_are_gone():
    seen = Seen()
    with seen.request("m"), seen.request("m"):
        pass
    assert (seen.in_flight.now["m"], seen.in_flight.peak["m"]) == (0, 2)
