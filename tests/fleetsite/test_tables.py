from fleetsite.tables import markdown, table


def test_columns_are_as_wide_as_what_is_in_them() -> None:
    assert table(("A", "B"), [("long", "x"), ("s", "y")]) == "A     B\nlong  x\ns     y"


def test_a_bar_in_a_cell_does_not_end_it() -> None:
    assert markdown(("A",), [("x|y",)]) == "| A |\n| --- |\n| x\\|y |"
