import re
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.urls import get_resolver

from routing.endpoints import is_ours
from routing.listings import LISTINGS
from routing.management import MANAGEMENT
from routing.protocols import PROTOCOLS

Schema = dict[str, Any]
CONTROL = "/fleet/api/v1/"
HEARTBEAT = CONTROL + "heartbeat"


def operations(schema: Schema, under: str = "") -> list[tuple[str, str, Schema]]:
    """Path, method and description of each operation."""
    paths = schema["paths"].items()
    return [(path, method, said) for path, of in paths if path.startswith(under) for method, said in of.items()]


def served() -> set[tuple[str, str]]:
    """Path and method of all that the data plane answers; HEAD is GET without a body."""
    inference = {(path, "post") for path in PROTOCOLS}
    rows = (*LISTINGS, *MANAGEMENT)
    listed = {(_templated(one.path), method.lower()) for one in rows for method in one.methods}
    return {(path, method) for path, method in inference | listed if method != "head"}


def _templated(path: str) -> str:
    above = path.removesuffix("*")
    return f"{above}{{}}" if above.endswith("/") and above != "/" else path


def test_the_schema_is_valid_and_nothing_in_it_was_guessed(tmp_path: Path) -> None:
    call_command("spectacular", "--validate", "--fail-on-warn", "--file", str(tmp_path / "schema.yaml"))


def test_every_endpoint_of_the_data_plane_is_described_and_no_other(schema: Schema) -> None:
    every = ((re.sub(r"{\w+}", "{}", path), method) for path, method, _ in operations(schema))
    assert {(path, method) for path, method in every if is_ours(path)} == served()


def test_every_operation_has_a_summary_and_a_name_of_its_own(schema: Schema) -> None:
    every = [said for *_, said in operations(schema)]
    assert all(said["summary"] for said in every)
    assert len({said["operationId"] for said in every}) == len(every)


def test_every_operation_says_what_a_stranger_gets(schema: Schema) -> None:
    assert [path for path, _, said in operations(schema) if path != "/" and "401" not in said["responses"]] == []


def test_every_change_says_what_is_forbidden_and_what_is_no_change(schema: Schema) -> None:
    writes = [said for _, method, said in operations(schema, CONTROL) if method in ("post", "patch", "delete")]
    assert all("403" in said["responses"] for said in writes)
    assert all("400" in said["responses"] for said in writes if "requestBody" in said)


def test_every_body_has_an_example(schema: Schema) -> None:
    bodies = [(path, said["requestBody"]["content"]) for path, _, said in operations(schema) if "requestBody" in said]
    assert [
        path for path, content in bodies for form in content.values() if not form.keys() & {"example", "examples"}
    ] == []


def test_reads_need_no_token_from_this_machine_and_writes_do(schema: Schema) -> None:
    control = [row for row in operations(schema, CONTROL) if row[0] != HEARTBEAT]
    opened = {(path, method) for path, method, said in control if {} in said["security"]}
    reads = {(path, method) for path, method, _ in control if method == "get" or path.endswith("/explain")}
    assert opened == reads


def test_every_list_of_the_control_api_has_one_form(schema: Schema) -> None:
    pages = [form for name, form in schema["components"]["schemas"].items() if name.endswith("Page")]
    assert len(pages) == 7
    assert all(set(page["properties"]) == set(page["required"]) == {"results", "next"} for page in pages)


@pytest.mark.parametrize("path", ["queues", "latency"])
def test_what_needs_a_router_says_what_it_answers_without_one(schema: Schema, path: str) -> None:
    assert "503" in schema["paths"][CONTROL + path]["get"]["responses"]


def test_every_path_of_the_control_api_is_described(schema: Schema) -> None:
    routes = get_resolver("fleetsite.api_urls").url_patterns
    patterns = [str(p.pattern) for r in routes for p in getattr(r, "url_patterns", [r])]
    described = {path for path, *_ in operations(schema, CONTROL)} - {HEARTBEAT}
    assert len(described) == len(patterns)
