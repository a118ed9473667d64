"""A reader's place: bounded, whatever the reader does."""

import asyncio

import pytest

from fleetsite.dashboards.seat import Seat


@pytest.fixture
def seat():
    """A place at a table where the picture is called `whole`."""
    return Seat(lambda: "whole")


async def test_a_new_reader_gets_the_whole_picture(seat):
    assert await seat.take() == "whole"


async def test_then_each_change(seat):
    await seat.take()
    seat.offer("change")
    assert await seat.take() == "change"


async def test_who_missed_a_change_gets_the_whole_picture(seat):
    await seat.take()
    for number in range(1000):
        seat.offer(f"change {number}")
    assert await seat.take() == "whole"


async def test_who_has_caught_up_gets_changes_again(seat):
    await seat.take()
    seat.offer("one")
    seat.offer("two")
    await seat.take()
    seat.offer("three")
    assert await seat.take() == "three"


async def test_without_a_change_there_is_nothing_to_take(seat):
    await seat.take()
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            await seat.take()
