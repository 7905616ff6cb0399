"""Environments held out for evaluation (OOD): never used to profile, to select, to pretrain or to train."""

NEAR = frozenset({
    "arithmetic/turtle_program", "charts/pie_shares", "geometry/rotate_match", "graph/span_tree", "grid/key_door",
    "logic/futoshiki", "memory/change_spot", "puzzle/pour_jugs",
})  # fmt: skip
"""Eight worlds of families that are trained on, whose kinds of answer other environments ask for too."""

FAR = frozenset({
    "gui/calendar_pick", "gui/file_tree", "gui/form_fill", "gui/menu_path", "gui/slider_set", "gui/spreadsheet",
    "gui/table_sort",
})  # fmt: skip
"""One whole family."""

HELD_OUT: frozenset[str] = NEAR | FAR
"""All of them."""
