"""Every code that the router knows has a word on the page."""

from fleetsite.dashboards.words import OUTCOMES, REASONS, SIGNALS, STATES, for_page
from nodes.core.liveness import STATES as NODE_STATES
from routing.core.filters import FILTERS
from routing.core.signals import SIGNALS as SCORED
from routing.models import RoutingDecision


def test_every_reason_to_be_out_has_words():
    assert [*REASONS] == [row.reason for row in FILTERS]


def test_every_signal_has_a_short_name_in_the_order_of_the_breakdown():
    assert [*SIGNALS] == [signal.name for signal in SCORED]


def test_every_outcome_has_a_word_and_a_tone():
    assert {*OUTCOMES} == {outcome for outcome, _ in RoutingDecision.OUTCOMES}


def test_every_state_of_a_node_has_a_tone():
    assert {*STATES} == {"online", *(word for word, _ in NODE_STATES)}


def test_the_page_can_name_where_a_running_request_stands():
    assert for_page()["outcomes"]["held"] == ("held", "warn")
