import re

import pytest
import yaml
from django.contrib.auth.models import User
from rest_framework.test import APIClient

SCHEMA, DOCS = "/fleet/api/schema", "/fleet/api/docs"


def test_the_schema_is_json_unless_told_otherwise(reader: APIClient) -> None:
    assert reader.get(SCHEMA).json()["openapi"].startswith("3.1")


def test_the_schema_is_yaml_on_request(reader: APIClient) -> None:
    answer = reader.get(SCHEMA, headers={"accept": "application/yaml"})
    assert yaml.safe_load(answer.content)["openapi"].startswith("3.1")


@pytest.mark.parametrize("path", [SCHEMA, DOCS])
def test_a_stranger_reads_neither(reader: APIClient, path: str) -> None:
    assert reader.get(path, REMOTE_ADDR="192.168.1.9").status_code == 401


@pytest.mark.django_db
@pytest.mark.parametrize("path", [SCHEMA, DOCS])
def test_who_is_signed_in_reads_both_from_anywhere(reader: APIClient, path: str) -> None:
    reader.force_login(User.objects.create_user("ada"))
    assert reader.get(path, REMOTE_ADDR="192.168.1.9").status_code == 200


def test_the_page_asks_no_other_server_for_anything(reader: APIClient) -> None:
    page = reader.get(DOCS).content.decode()
    links = re.findall(r'(?:src|href)="([^"]+)"', page)
    assert links and all(link.startswith("/static/") for link in links)
    assert '"validatorUrl": null' in page


def test_the_page_shows_our_schema(reader: APIClient) -> None:
    assert SCHEMA in reader.get(DOCS).content.decode()
