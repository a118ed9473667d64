"""API keys: shown once, kept as digests, in force until revoked."""

import hashlib
from datetime import UTC, datetime, timedelta

import pytest

from nodes.changes import count
from routing import keys
from routing.core.access import Key
from routing.models import ApiKey

pytestmark = pytest.mark.django_db


def held(secret: str) -> Key | None:
    """What the data plane knows of a key that a client sends."""
    return keys.load().by_digest.get(hashlib.sha256(secret.encode()).hexdigest())


def test_a_key_is_fl_and_forty_random_signs():
    assert len(keys.create("laptop").removeprefix("fl-")) == 40


def test_a_new_key_is_held_by_its_digest():
    assert held(keys.create("laptop")) == Key("laptop")


def test_a_key_itself_is_kept_nowhere():
    secret = keys.create("laptop")
    assert secret not in str(ApiKey.objects.values().get())


def test_a_key_may_be_given_instead_of_drawn():
    assert keys.create("laptop", secret="fl-mine") == "fl-mine"


def test_models_of_a_key_are_in_normal_form():
    assert held(keys.create("laptop", models=["Llama3", "qwen2.5:7b", " "])).models == {"llama3:latest", "qwen2.5:7b"}


def test_limits_of_a_key_are_held():
    until = datetime(2030, 1, 1, tzinfo=UTC)
    secret = keys.create("laptop", pull=True, rpm=60, max_in_flight=2, expires_at=until)
    assert held(secret) == Key("laptop", pull=True, rpm=60, max_in_flight=2, expires_at=until.timestamp())


def test_a_revoked_key_is_held_no_longer():
    secret = keys.create("laptop")
    keys.revoke("laptop")
    assert held(secret) is None


@pytest.mark.parametrize("change", [lambda: keys.create("phone"), lambda: keys.revoke("laptop")])
def test_each_change_is_announced(change):
    keys.create("laptop")
    before = count()
    change()
    assert count() > before


@pytest.mark.parametrize("name", ["laptop", " laptop "])
def test_a_name_is_given_once(name):
    keys.create("laptop")
    with pytest.raises(keys.KeyProblem, match="already"):
        keys.create(name)


def test_a_revoked_key_s_name_is_given_anew_and_the_old_key_opens_nothing():
    old = keys.create("laptop")
    keys.revoke("laptop")
    new = keys.create("laptop")
    assert (held(old), held(new)) == (None, Key("laptop"))


def test_of_two_keys_with_one_name_the_one_in_force_is_revoked():
    for _ in range(2):
        secret = keys.create("laptop")
        keys.revoke("laptop")
    assert (held(secret), ApiKey.objects.exclude(revoked_at=None).count()) == (None, 2)


@pytest.mark.parametrize("name", ["", "  ", "x" * 65, "a\nb"])
def test_a_name_that_is_none_is_refused(name):
    with pytest.raises(keys.KeyProblem, match="1 to 64 printable"):
        keys.create(name)


def test_a_key_that_another_name_has_is_refused():
    keys.create("laptop", secret="fl-mine")
    with pytest.raises(keys.KeyProblem, match="in use as 'laptop'"):
        keys.create("phone", secret="fl-mine")


def test_revoking_an_unknown_key_names_those_there_are():
    keys.create("laptop")
    with pytest.raises(keys.KeyProblem, match="in force: laptop"):
        keys.revoke("lap")


def test_a_key_is_revoked_once():
    keys.create("laptop")
    keys.revoke("laptop")
    with pytest.raises(keys.KeyProblem, match="already"):
        keys.revoke("laptop")


@pytest.mark.parametrize(
    ("text", "span"), [("30d", timedelta(days=30)), ("12h", timedelta(hours=12)), ("90m", timedelta(minutes=90))]
)
def test_a_duration_is_days_hours_or_minutes(text, span):
    assert keys.duration(text) == span


@pytest.mark.parametrize("text", ["", "0d", "-1d", "30", "d", "1.5h", "30s", "999999999d", "1w"])
def test_any_other_duration_is_refused(text):
    with pytest.raises(keys.KeyProblem, match="30d, 12h or 90m"):
        keys.duration(text)
