"""`manage.py key`, as an operator types it."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from routing import keys
from routing.models import ApiKey

pytestmark = pytest.mark.django_db


def key(*words: str) -> str:
    """What `manage.py key …` prints."""
    out = StringIO()
    call_command("key", *words, stdout=out)
    return out.getvalue()


def test_a_new_key_stands_alone_on_stdout():
    assert key("create", "laptop").strip().startswith("fl-")


def test_a_printed_key_is_in_force():
    key("create", "laptop")
    assert [held.name for held in keys.load().by_digest.values()] == ["laptop"]


def test_every_option_of_create_is_kept():
    options = ["--models", "Llama3,qwen2.5:7b", "--pull", "--rpm", "60", "--max-in-flight", "2"]
    key("create", "laptop", *options)
    kept = ApiKey.objects.get()
    assert (kept.models, kept.pull, kept.rpm, kept.max_in_flight) == (["llama3:latest", "qwen2.5:7b"], True, 60, 2)


def test_a_key_expires_when_told_to():
    key("create", "laptop", "--expires", "30d")
    kept = ApiKey.objects.get()
    assert round((kept.expires_at - kept.created_at).total_seconds() / 86400) == 30


def test_a_list_shows_the_prefix_and_never_the_key():
    secret = key("create", "laptop").strip()
    shown = key("list")
    assert (secret[:8] in shown, secret in shown) == (True, False)


def test_a_list_in_json_has_every_key():
    key("create", "laptop")
    key("create", "phone")
    key("revoke", "phone")
    assert [(row["name"], row["revoked_at"] is None) for row in json.loads(key("list", "--json"))] == [
        ("laptop", True),
        ("phone", False),
    ]


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["create", "laptop"], "already"),
        (["create", "new", "--expires", "soon"], "no duration"),
        (["create", "new", "--expires", ""], "no duration"),
        (["create", "new", "--rpm", "0"], "whole number above 0"),
        (["create", "new", "--max-in-flight", "many"], "whole number above 0"),
        (["create", "new", "--models", ","], "names no model"),
        (["revoke", "nobody"], "no key 'nobody'"),
    ],
)
def test_what_can_not_be_done_is_refused_with_its_reason(words, reason):
    keys.create("laptop")
    with pytest.raises(CommandError, match=reason):
        key(*words)
