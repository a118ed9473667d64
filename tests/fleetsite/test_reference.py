from fleetsite.parameters import PARAMETERS, SETTINGS
from fleetsite.reference import parameters_page, signals_page
from routing.core.filters import FILTERS
from routing.core.signals import SIGNALS


def test_every_parameter_and_setting_is_on_its_page() -> None:
    page = parameters_page()
    assert [name for name in (*PARAMETERS, *SETTINGS) if f"| `{name}` |" not in page] == []


def test_a_parameter_is_written_as_an_operator_writes_it() -> None:
    assert "| `FLEET_POLL_INTERVAL` | 5 | 0.05 to 300 | s | How often" in parameters_page()
    assert "| `FLEET_DETECT_LOCAL_OLLAMA` | true | true · false |  |" in parameters_page()
    assert "| `FLEET_DECISIONS_KEEP_ROWS` | 1000000 | 100 to 100000000 |" in parameters_page()
    assert "| `FLEET_REQUIRE_API_KEY` | auto | auto · always · never |" in parameters_page()


def test_every_filter_and_signal_is_on_its_page_with_words() -> None:
    names = [*(row.reason for row in FILTERS), *(row.name for row in SIGNALS)]
    assert [name for name in names if f"| `{name}` | " not in signals_page()] == []
    assert "|  |" not in signals_page()
