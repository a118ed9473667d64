import pytest

from nodes import changes

pytestmark = pytest.mark.django_db


def test_nothing_has_changed_at_first() -> None:
    assert changes.count() == 0


def test_each_change_counts() -> None:
    changes.bump()
    changes.bump()
    assert changes.count() == 2
