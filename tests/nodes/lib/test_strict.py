import pytest
from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from nodes.lib.strict import Strict


class Named(Strict):
    """One field, which may be missing."""

    name = serializers.CharField(required=False)


def test_what_was_given_is_returned() -> None:
    assert Named(data={"name": "studio"}).checked() == {"name": "studio"}


def test_an_unknown_name_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ValidationError) as refused:
        Named(data={"nmae": "studio"}).checked()
    assert refused.value.detail == {"nmae": ["Known are: name."]}


@pytest.mark.parametrize("body", [[], "x", 7, None, {"name": []}, {"name": "a\0"}])
def test_what_is_no_such_object_is_refused(body: object) -> None:
    with pytest.raises(ValidationError):
        Named(data=body).checked()
