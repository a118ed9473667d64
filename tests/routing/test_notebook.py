"""What waits for the database: found at once, bounded, in order."""

from routing.notebook import BATCH, Notebook, size
from tests.routing.records import trace


def test_a_trace_is_found_as_soon_as_it_is_noted():
    notes, routed = Notebook(), trace(done=False)
    notes.note(routed)
    assert notes.find(routed.id) is routed


def test_a_running_trace_is_found_after_its_row_was_written():
    notes, routed = Notebook(), trace(done=False)
    notes.note(routed)
    notes.take()
    notes.written()
    assert notes.find(routed.id) is routed


def test_a_trace_that_ended_is_found_while_its_row_is_being_written():
    notes, ended = Notebook(), trace()
    notes.note(ended)
    notes.take()
    assert notes.find(ended.id) is not None


def test_a_trace_that_ended_is_forgotten_once_it_is_written():
    notes, ended = Notebook(), trace()
    notes.note(ended)
    notes.take()
    notes.written()
    assert notes.find(ended.id) is None


def test_what_ended_is_kept_as_columns_and_not_as_the_request():
    notes, ended = Notebook(), trace()
    notes.note(ended)
    assert notes.find(ended.id) is not ended


def test_each_live_trace_is_listed_once():
    notes, routed = Notebook(), trace(done=False)
    notes.note(routed)
    notes.note(routed)
    assert notes.live() == [routed]


def test_a_request_that_ended_before_its_batch_is_one_row():
    notes, request = Notebook(), trace(done=False)
    notes.note(request)
    request.done = True
    notes.note(request)
    assert [noted.columns["outcome"] for noted in notes.take()] == ["completed"]


def test_what_was_put_back_comes_first_again():
    notes, first, second = Notebook(), trace(), trace()
    notes.note(first)
    batch = notes.take()
    notes.note(second)
    notes.put_back(batch)
    assert [noted.id for noted in notes.take()] == [first.id, second.id]


def test_what_was_put_back_does_not_undo_what_was_noted_since():
    notes, request = Notebook(), trace(done=False)
    notes.note(request)
    batch = notes.take()
    request.done = True
    notes.note(request)
    notes.put_back(batch)
    assert [noted.columns["outcome"] for noted in notes.take()] == ["completed"]


def test_over_its_bound_the_oldest_completed_are_dropped_and_counted():
    notes, traces = Notebook(most=size(trace().row())), [trace(done=False), trace(), trace(), trace()]
    for one in traces:
        notes.note(one)
    assert ([noted.id for noted in notes.take()], notes.dropped) == ([traces[0].id, traces[3].id], 2)


def test_one_row_of_many_candidates_weighs_as_much_as_many_rows():
    notes, large = Notebook(most=10_000), trace(candidates=[{"model": "m" * 1000}] * 8)
    for one in (trace(), trace(), trace(), large):
        notes.note(one)
    assert ([noted.id for noted in notes.take()], notes.dropped) == ([large.id], 3)


def test_a_long_text_of_a_client_counts():
    notes = Notebook(most=10_000)
    notes.note(trace(requested_model="m" * 10_000))
    assert (len(notes), notes.dropped) == (0, 1)


def test_what_was_written_weighs_nothing_any_more():
    notes = Notebook(most=size(trace().row()))
    for _ in range(3):
        notes.note(trace())
        notes.put_back(notes.take())
        notes.take()
        notes.written()
    assert notes.dropped == 0


def test_what_runs_weighs_nothing():
    notes = Notebook(most=1)
    notes.note(trace(done=False))
    assert (len(notes), notes.dropped) == (1, 0)


def test_a_full_batch_is_announced():
    notes, calls = Notebook(), []
    notes.on_full = lambda: calls.append(len(notes))
    for _ in range(BATCH):
        notes.note(trace())
    assert calls == [BATCH]


def test_a_trace_that_can_not_say_its_row_is_lost_and_counted_and_harms_nobody(caplog):
    notes, broken, sound = Notebook(), trace(), trace()
    broken.row = None
    notes.note(broken)
    notes.note(sound)
    assert ([noted.id for noted in notes.take()], notes.dropped) == ([sound.id], 1)


def test_a_listener_hears_of_a_trace_when_it_is_routed_and_when_it_has_ended():
    notes, heard, request = Notebook(), [], trace(done=False)
    notes.listeners.append(lambda one: heard.append(one.done))
    notes.note(request)
    request.done = True
    notes.note(request)
    assert heard == [False, True]


def test_a_listener_hears_of_what_ended_as_columns():
    notes, heard, ended = Notebook(), [], trace()
    notes.listeners.append(heard.append)
    notes.note(ended)
    assert heard[0] is notes.find(ended.id)


def test_a_listener_that_fails_harms_neither_the_trace_nor_the_next_listener(caplog):
    notes, heard, request = Notebook(), [], trace()
    notes.listeners += [lambda one: heard.missing, heard.append]
    notes.note(request)
    assert (len(notes), len(heard)) == (1, 1)
