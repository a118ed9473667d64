"""The page of the live dashboard."""

import re
from pathlib import Path
from urllib.parse import quote

import pytest
from django.contrib.auth.models import User
from django.contrib.staticfiles import finders
from django.test import Client

PAGE = "/fleet/"
pytestmark = pytest.mark.django_db


@pytest.fixture
def here():
    return Client(headers={"host": "localhost"})


@pytest.fixture
def elsewhere():
    return Client(headers={"host": "localhost"}, REMOTE_ADDR="192.168.1.7")


def test_this_machine_sees_it(here):
    assert here.get(PAGE).status_code == 200


def test_others_are_asked_to_sign_in(elsewhere):
    assert elsewhere.get(PAGE)["Location"] == f"/admin/login/?next={quote(PAGE)}"


def test_who_is_signed_in_sees_it_from_anywhere(elsewhere):
    elsewhere.force_login(User.objects.create_user("ada"))
    assert elsewhere.get(PAGE).status_code == 200


def test_it_is_only_read(here):
    assert here.post(PAGE).status_code == 405


def test_it_is_never_taken_from_a_cache(here):
    assert "no-store" in here.get(PAGE)["Cache-Control"]


def test_it_asks_no_other_server_for_anything(here):
    addresses = re.findall(r'(?:src|href)="([^"]+)"', here.get(PAGE).content.decode())
    assert [a for a in addresses if not a.startswith("/")] == []


def test_all_that_it_loads_is_there(here):
    loaded = re.findall(r'(?:src|href)="/static/([^"]+)"', here.get(PAGE).content.decode())
    assert loaded and all(map(finders.find, loaded))


def test_every_module_that_a_script_imports_is_there():
    scripts = Path(finders.find("fleetsite/fleet.js")).parent.glob("*.js")
    modules = {module for script in scripts for module in re.findall(r'from "\./([^"]+)"', script.read_text())}
    assert modules and all(finders.find(f"fleetsite/{module}") for module in modules)


def test_the_page_has_the_words_for_all_codes(here):
    assert '"no_memory": "not enough free memory to load it"' in here.get(PAGE).content.decode()


def test_a_name_in_the_address_does_no_harm(here):
    assert b"<script>alert" not in here.get(f"{PAGE}?next=<script>alert(1)</script>").content
