from nodes.lib.page import page


def test_a_whole_list_has_no_next_page() -> None:
    assert page([{"a": 1}]) == {"results": [{"a": 1}], "next": None}


def test_a_page_names_the_one_that_follows() -> None:
    assert page([], "http://router/next")["next"] == "http://router/next"
