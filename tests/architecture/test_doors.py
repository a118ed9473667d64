"""One door to each service, no clock in the cores, nothing that blocks the serving loop."""

import pytest

from tests.architecture.source import calls, imports, python, source

# Who may import it; `()`: nobody yet.
DOORS = {
    "aiohttp": ("routing/upstreams/", "nodes/engines/", "nodes/simulated/", "fleetsite/demo/"),
    "celery": ("fleetsite/celery.py", "fleetsite/embedded.py", "fleetsite/schedule.py"),
    "channels": ("fleetsite/asgi.py", "fleetsite/dashboards/consumers.py", "nodes/lib/broadcast.py"),
    "uvicorn": ("fleetsite/server.py",),
    "psutil": ("fleetsite/serverfile.py",),
    "urllib.request": ("fleetsite/running.py",),
    "unfold": ("nodes/lib/admin.py",),
    "servestatic": (),
    "kombu": (),
    "redis": (),
    "requests": (),
    "httpx": (),
    "sqlite3": (),
    "subprocess": (),
}
CORES = ("nodes/core/", "routing/core/", "routing/protocols/", "routing/translation/")
CLOCKS = ("time.time", "time.monotonic", "time.perf_counter", "datetime.now", "datetime.utcnow", "date.today")
SERVING = (
    "routing/endpoints.py", "routing/doors.py", "routing/intake.py", "routing/wire.py", "routing/pipeline.py",
    "routing/router.py", "routing/queueing.py", "routing/room.py", "routing/aftermath.py", "routing/recorder.py",
    "routing/rows.py", "routing/headers.py", "routing/refusals.py", "routing/listings.py", "routing/management/",
    "routing/autopull.py", "routing/decoding.py",
    "routing/notebook.py", "routing/shutdown.py", "routing/tasks.py", "routing/upstreams/", "routing/protocols/",
    "routing/speaking.py", "routing/translation/", "routing/core/", "nodes/core/", "nodes/fleet/", "nodes/engines/",
    "nodes/poller.py", "nodes/watch.py", "nodes/heartbeats.py", "nodes/intake.py",
)  # fmt: skip
BLOCKING = (
    "open",
    "input",
    "time.sleep",
    "os.system",
    "socket.getaddrinfo",
    "socket.create_connection",
    "on_fleet_loop",
)


@pytest.mark.parametrize("service", DOORS)
def test_a_service_has_its_doors_and_no_others(service: str) -> None:
    users = {path for path in source() for name in imports(path) if f"{name}.".startswith(f"{service}.")}
    assert {path for path in users if not path.startswith(DOORS[service] or ("nobody",))} == set()


@pytest.mark.parametrize(("service", "door"), [(s, door) for s, doors in DOORS.items() for door in doors])
def test_every_door_is_used(service: str, door: str) -> None:
    assert any(f"{name}.".startswith(f"{service}.") for path in python(door) for name in imports(path))


def test_a_core_asks_no_clock() -> None:
    assert [(path, call) for path in python(*CORES) for call in calls(path) if call.endswith(CLOCKS)] == []


def test_nothing_on_the_serving_loop_blocks() -> None:
    made = ((path, call) for path in python(*SERVING) for call in calls(path))
    assert [row for row in made if row[1] in BLOCKING or ".objects." in row[1]] == []


def test_every_room_of_the_serving_loop_is_there() -> None:
    assert [room for room in SERVING if not python(room)] == []


def test_images_are_decoded_nowhere() -> None:
    """Unknown bytes from the network meet no decoder of ours."""
    decoders = ("PIL", "cv2", "imageio", "wand", "pyvips")
    assert [path for path in source() for name in imports(path) if name.startswith(decoders)] == []
