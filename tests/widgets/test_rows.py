"""Several buttons stand in a row of their own, and no control is wider than the page."""

import ipywidgets

from helpers.widgets.explorer import rows_of
from helpers.widgets.vectors import map_explorer


def test_several_buttons_have_a_row_of_their_own_under_the_other_controls():
    sliders, *buttons = (row.children for row in map_explorer().box.children[:2])
    assert not any(isinstance(control, ipywidgets.Button) for control in sliders)
    assert all(isinstance(control, ipywidgets.Button) for control in buttons[0])
    assert len(sliders) == 4
    assert len(buttons[0]) == 6
    assert {button.layout.width for button in buttons[0]} == {"auto"}


def test_a_single_button_stands_with_the_controls_that_it_belongs_to():
    controls = [ipywidgets.IntSlider(), ipywidgets.Button()]
    assert [list(row.children) for row in rows_of(controls)] == [controls]


def test_buttons_alone_are_one_row():
    controls = [ipywidgets.Button(), ipywidgets.Button()]
    assert [list(row.children) for row in rows_of(controls)] == [controls]


def test_rows_wrap_and_no_control_is_wider_than_the_page():
    controls = [ipywidgets.IntSlider(layout={"width": "40em"}), ipywidgets.Button()]
    (row,) = rows_of(controls)
    assert row.layout.flex_flow == "row wrap"
    assert {control.layout.max_width for control in controls} == {"100%"}
