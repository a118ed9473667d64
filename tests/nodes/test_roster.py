import pytest

from nodes import changes, roster
from nodes.lib.digest import digest
from nodes.models import Node

pytestmark = pytest.mark.django_db


def test_an_added_node_is_approved() -> None:
    node = roster.add("Mac Studio", "studio:11434", numbers={"memory_gb": 64.0, "parallel": 2})
    assert (node.id, node.url, node.enrolment, node.memory_gb) == ("mac-studio", "http://studio:11434", "approved", 64)


def test_names_that_make_the_same_id_get_ids_of_their_own() -> None:
    ids = [roster.add(name, f"http://{n}").id for n, name in enumerate(["Mac Studio", "mac-studio", "工作站", "机器"])]
    assert ids == ["mac-studio", "mac-studio-2", "node", "node-2"]


def test_a_name_is_given_once() -> None:
    roster.add("studio", "http://a")
    with pytest.raises(roster.RosterError, match="There is a node 'studio' already"):
        roster.add("studio", "http://b")


def test_an_address_is_one_node_however_it_is_written() -> None:
    roster.add("studio", "http://a:80/")
    with pytest.raises(roster.RosterError, match="http://a is node 'studio' already"):
        roster.add("other", "HTTP://A")


@pytest.mark.parametrize("name", ["", " ", "a/b", "a\nb", "x" * 65, " padded"])
def test_what_is_no_name_is_refused(name: str) -> None:
    with pytest.raises(roster.RosterError, match="can't be a node's name"):
        roster.add(name, "http://a")


@pytest.mark.parametrize("value", [0, -1, float("nan"), float("inf")])
@pytest.mark.parametrize("field", ["memory_gb", "bandwidth_gbps", "parallel"])
def test_a_figure_that_is_not_above_zero_is_refused(field: str, value: float) -> None:
    with pytest.raises(roster.RosterError, match=f"--{field.replace('_', '-')} .*is not above 0"):
        roster.add("studio", "http://a", numbers={field: value})


def test_an_engine_of_no_known_kind_is_refused() -> None:
    with pytest.raises(roster.RosterError, match="choose ollama or openai"):
        roster.add("studio", "http://a", "abacus")


def test_a_refused_node_leaves_nothing() -> None:
    with pytest.raises(roster.RosterError):
        roster.add("studio", "ftp://a")
    assert not Node.objects.exists()
    assert changes.count() == 0


@pytest.mark.parametrize(
    ("action", "field", "value"),
    [("approve", "enrolment", "approved"), ("pause", "paused", True), ("drain", "draining", True)],
)
def test_an_action_decides(action: str, field: str, value: object) -> None:
    roster.add("studio", "http://a")
    Node.objects.update(enrolment="pending")
    assert getattr(roster.act("studio", action), field) == value


def test_resume_ends_pause_and_drain() -> None:
    roster.add("studio", "http://a")
    roster.act("studio", "pause")
    roster.act("studio", "drain")
    node = roster.act("studio", "resume")
    assert (node.paused, node.draining) == (False, False)


def test_a_node_is_found_by_its_id_after_it_was_renamed() -> None:
    roster.add("studio", "http://a")
    Node.objects.update(name="workshop")
    assert roster.find("studio") == roster.find("workshop")


def test_an_unknown_node_is_answered_with_the_known_ones() -> None:
    roster.add("studio", "http://a")
    roster.add("mini", "http://b")
    with pytest.raises(roster.RosterError, match=r"no node 'nope'. Known nodes: studio, mini\."):
        roster.act("nope", "pause")


def test_a_removed_node_is_gone() -> None:
    roster.add("studio", "http://a")
    roster.remove("studio")
    assert not Node.objects.exists()


def test_only_the_digest_of_a_credential_is_kept() -> None:
    roster.add("studio", "http://a")
    secret = roster.new_credential("studio")
    assert roster.find("studio").credential == digest(secret)


def test_every_change_is_told_to_the_servers() -> None:
    roster.add("studio", "http://a")
    roster.act("studio", "pause")
    roster.new_credential("studio")
    roster.remove("studio")
    assert changes.count() == 4


def test_a_change_sets_what_it_names_and_nothing_else() -> None:
    roster.add("studio", "http://a", numbers={"parallel": 2})
    node = roster.change("studio", {"url": "b:8080", "memory_gb": 64.0})
    assert (node.name, node.url, node.memory_gb, node.parallel) == ("studio", "http://b:8080", 64.0, 2)


def test_a_renamed_node_keeps_its_id() -> None:
    roster.add("studio", "http://a")
    assert roster.change("studio", {"name": "Mac Studio"}).id == "studio"


def test_a_node_may_keep_its_own_name_and_address() -> None:
    roster.add("studio", "http://a")
    assert roster.change("studio", {"name": "studio", "url": "http://a/"}).url == "http://a"


@pytest.mark.parametrize(
    "fields", [{"name": "mini"}, {"url": "http://b"}, {"engine": "magic"}, {"parallel": 0}, {"url": "ftp://a"}]
)
def test_a_change_that_add_would_refuse_is_refused(fields: dict[str, object]) -> None:
    roster.add("studio", "http://a")
    roster.add("mini", "http://b")
    with pytest.raises(roster.RosterError):
        roster.change("studio", fields)


def test_a_change_is_told_to_the_servers() -> None:
    roster.add("studio", "http://a")
    before = changes.count()
    roster.change("studio", {"parallel": 3})
    assert changes.count() == before + 1
