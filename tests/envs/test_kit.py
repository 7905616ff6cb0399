"""Properties of what environments are made from: drawing, captions, boards, graphs, chance, splits, events."""

import re
from collections import Counter
from itertools import combinations, pairwise, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from palaestra.core.errors import EnvironmentFailed, GenerationFailed
from palaestra.core.instance import Instance, Split, split_of
from palaestra.core.observation import Element
from palaestra.envs.kit import captions, chance, graphs, grid, masks, palette, splits
from palaestra.envs.kit.canvas import Canvas
from palaestra.envs.kit.events import VOCABULARY

SEEDS = st.integers(0, 2**32 - 1)
SIDES = st.integers(1, 6)
INSTANCE = Instance("grid/frozen_lake", 1, 0, 0)

# Drawing


@given(st.integers(-40, 60), st.integers(-40, 60), st.sampled_from(masks.SHAPES), st.integers(4, 50))
def test_what_is_stamped_over_the_edge_is_cut_as_if_the_canvas_went_on(
    left: int, top: int, name: str, size: int
) -> None:
    mask = masks.shape(name, size)
    small, large = Canvas(30, 20), Canvas(230, 220)
    box = small.stamp(mask, left, top, "red")
    large.stamp(mask, left + 100, top + 100, "red")
    assert box == (left, top, left + size, top + size)
    assert np.array_equal(small.pixels, large.pixels[100:120, 100:130])


@given(st.tuples(*[st.integers(-20, 50)] * 4))
def test_a_rectangle_colours_the_pixels_of_its_box_and_no_others(box: tuple[int, int, int, int]) -> None:
    canvas = Canvas(30, 20)
    canvas.rectangle(box, "red")
    inside = [[box[0] <= x < box[2] and box[1] <= y < box[3] for x in range(30)] for y in range(20)]
    assert np.array_equal(canvas.pixels == palette.colour("red"), inside)


@pytest.mark.parametrize("name", ["paper", "ink", "red", "navy", "gold"])
def test_blending_goes_from_the_ground_to_the_colour_in_four_even_steps(name: str) -> None:
    table = palette.PALETTE[palette.blend(name)].astype(int)
    ground, over = palette.PALETTE.astype(int), palette.PALETTE[palette.colour(name)].astype(int)
    assert np.array_equal(table[0], ground)
    assert (table[palette.LEVELS] == over).all()
    for level in range(palette.LEVELS + 1):
        wanted = ground + (over - ground) * level / palette.LEVELS
        assert np.abs(table[level] - wanted).max() <= 51  # the nearest colour of a palette with steps of 51


@pytest.mark.parametrize("name", ["circle", "square", "diamond", "hexagon", "cross"])
@pytest.mark.parametrize("size", [9, 16, 31, 64, 101])
def test_shapes_that_are_their_own_mirror_image_are_drawn_so_up_to_half_a_pixel(name: str, size: int) -> None:
    full = masks.shape(name, size).full
    assert np.count_nonzero(full != full[::-1]) <= 2 * size
    assert np.count_nonzero(full != full[:, ::-1]) <= 2 * size


@pytest.mark.parametrize("size", [9, 16, 31, 64, 101])
def test_a_circle_is_its_own_mirror_image_in_every_way_exactly(size: int) -> None:
    full = masks.shape("circle", size).full
    assert all(np.array_equal(full, other) for other in (full[::-1], full[:, ::-1], full.T))


@pytest.mark.parametrize("name", masks.SHAPES)
def test_a_shape_fills_its_box_from_edge_to_edge_in_one_direction_at_least(name: str) -> None:
    canvas = Canvas(40, 40)
    canvas.shape(name, (20, 20), 40, "red")
    rows, columns = (np.flatnonzero((canvas.pixels != palette.colour("paper")).any(axis)) for axis in (1, 0))
    assert max(np.ptp(rows), np.ptp(columns)) >= 34


@pytest.mark.parametrize("height", [6, 7, 9, 12, 16, 24, 40, 64])
def test_capitals_are_as_high_as_asked_within_a_pixel(height: int) -> None:
    assert {masks.text(letter, height).height - height for letter in "EHTX"} <= {-1, 0, 1}


def test_a_colour_or_a_shape_that_does_not_exist_names_those_that_do() -> None:
    with pytest.raises(EnvironmentFailed, match="'rde' is not in the palette; known: paper"):
        palette.colour("rde")
    with pytest.raises(EnvironmentFailed, match="'ring' is unknown; known: circle"):
        masks.shape("ring", 9)


# Captions

WORDS = st.text("abcxyz0189", min_size=1, max_size=6).map("n{}".format)
NAME = st.one_of(WORDS, st.tuples(WORDS, WORDS).map(" ".join))
NAMES = st.lists(NAME, min_size=1, max_size=6, unique=True)
CELLS = st.tuples(st.integers(0, 30), st.integers(0, 30))


@given(NAMES, SIDES, SIDES, SEEDS)
def test_a_board_reads_back_as_what_was_written(names: list[str], rows: int, columns: int, seed: int) -> None:
    legend = dict(zip(".O@G#a", names, strict=False))
    signs = "".join(np.random.default_rng(seed).choice(list(legend), rows * columns))
    wanted = Counter((legend[sign], divmod(cell, columns)) for cell, sign in enumerate(signs))
    assert captions.read(captions.board(legend, signs, columns)) == wanted


@given(st.lists(st.tuples(NAME, CELLS), max_size=8))
def test_a_listing_reads_back_as_what_was_written(things: list[tuple[str, tuple[int, int]]]) -> None:
    assert captions.read(captions.listing(things)) == Counter(things)


# Boards


def images(rows: int, columns: int, content: np.ndarray) -> list[tuple[int, int, np.ndarray]]:
    """All turns and mirror images of a board, one by one."""
    found, board = [], content.reshape(rows, columns)
    for _ in range(4):
        board = np.rot90(board)
        found += [(*b.shape, np.ascontiguousarray(b).ravel()) for b in (board, board.T)]
    return found


@given(SIDES, SIDES, SEEDS, st.integers(2, 5))
def test_boards_have_one_canonical_form_exactly_when_a_turn_or_a_mirror_makes_them_equal(
    rows: int, columns: int, seed: int, kinds: int
) -> None:
    rng = np.random.default_rng(seed)
    board, other = rng.integers(kinds, size=(2, rows * columns)).astype(np.uint8)
    same = images(rows, columns, board)
    assert len({grid.canonical(*image) for image in same}) == 1
    equal = any((r, c) == (rows, columns) and np.array_equal(image, other) for r, c, image in same)
    assert (grid.canonical(rows, columns, board) == grid.canonical(rows, columns, other)) == equal


@given(SIDES, SIDES, SEEDS)
def test_distances_over_a_board_are_those_of_repeated_relaxation(rows: int, columns: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    free, start = rng.random(rows * columns) < 0.7, int(rng.integers(rows * columns))
    steps = np.full(rows * columns, 10**6)
    steps[start] = 0
    for _ in range(rows * columns):
        for cell, around in enumerate(grid.neighbours(rows, columns)):
            for other in around:
                if other >= 0 and free[other]:
                    steps[other] = min(steps[other], steps[cell] + 1)
    assert grid.distances(rows, columns, start, lambda cell: free[cell]) == [s if s < 10**6 else -1 for s in steps]


def test_neighbours_are_up_right_down_left_on_a_board_that_is_not_square() -> None:
    assert grid.neighbours(2, 3)[4] == (1, 5, -1, 3)
    assert grid.neighbours(2, 3)[0] == (-1, 1, 3, -1)


def test_a_scene_names_every_cell_with_its_place_and_its_box() -> None:
    assert grid.scene(("a", "b"), [0, 1], 2, 1, 8)[1] == Element("b", (1, 0), (0, 8, 8, 16), 0)


# Graphs


def drawn(seed: int, rows: int = 4, columns: int = 4, nodes: int = 14) -> tuple[graphs.Layout, tuple[graphs.Edge, ...]]:
    rng = np.random.default_rng(seed)
    layout = graphs.scatter(rows, columns, nodes, rng)
    return layout, graphs.connect(layout, 0.9, 9, rng)


def test_a_lattice_grows_until_all_nodes_fit() -> None:
    layout, _ = drawn(0, rows=2, columns=3, nodes=14)
    assert (layout.rows, layout.columns, len(set(layout.cells))) == (4, 4, 14)


def side(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> float:
    """On which side of the line through a and b the point c lies."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


@given(SEEDS)
def test_no_two_drawn_edges_cross(seed: int) -> None:
    layout, edges = drawn(seed)
    for (a, b, _), (c, d, _) in combinations(edges, 2):
        if len({a, b, c, d}) == 4:
            p, q, r, s = (layout.places[node] for node in (a, b, c, d))
            assert not (side(p, q, r) * side(p, q, s) < 0 and side(r, s, p) * side(r, s, q) < 0)


@given(SEEDS)
def test_an_edge_stands_once_with_its_smaller_node_first(seed: int) -> None:
    _, edges = drawn(seed)
    assert all(a < b and 1 <= weight <= 9 for a, b, weight in edges)
    assert len({(a, b) for a, b, _ in edges}) == len(edges)


@given(SEEDS)
def test_cheapest_ways_are_those_of_trying_all_ways(seed: int) -> None:
    near = graphs.adjacency(6, drawn(seed, 2, 3, 6)[1])
    ways = {}
    for inner in (inner for length in range(5) for inner in permutations(range(1, 5), length)):
        path = (0, *inner, 5)
        if all(b in near[a] for a, b in pairwise(path)):
            ways[path] = sum(near[a][b] for a, b in pairwise(path))
    least = min(ways.values(), default=-1)
    assert graphs.costs(near, 0)[5] == least
    assert sorted(graphs.cheapest(near, 0, 5)) == sorted(path for path, cost in ways.items() if cost == least)


# Chance


def test_chance_is_uniform_over_keys_and_over_turns() -> None:
    for drawn_numbers in (
        [chance.uniform(chance.key(Instance("a/b", 1, 0, seed)), 0) for seed in range(4000)],
        [chance.uniform(7, turn) for turn in range(4000)],
        [chance.uniform(key, 3) for key in range(4000)],
    ):
        counts = np.bincount((20 * np.array(drawn_numbers)).astype(int), minlength=20)
        assert len(counts) == 20
        assert ((counts - 200) ** 2 / 200).sum() < 43.8  # the 99.9 % quantile of chi-square with 19 degrees of freedom


def test_neighbouring_turns_and_keys_have_nothing_in_common() -> None:
    table = np.array([[chance.uniform(key, turn) for turn in range(64)] for key in range(64)])
    for a, b in ((table[1:], table[:-1]), (table[:, 1:], table[:, :-1]), (table[1:, :-1], table[:-1, 1:])):
        assert abs(np.corrcoef(a.ravel(), b.ravel())[0, 1]) < 4 / np.sqrt(a.size)


def test_chance_is_a_function_of_key_and_turn() -> None:
    assert [chance.uniform(5, turn) for turn in (2, 0, 1)] == [chance.uniform(5, turn) for turn in (2, 0, 1)]
    assert chance.key(INSTANCE) == chance.key(INSTANCE) != chance.key(INSTANCE, "other")


# Splits


def test_problems_are_split_eight_to_one_to_one() -> None:
    counts = Counter(splits.split_of("a/b", str(k).encode()) for k in range(5000))
    assert abs(counts[Split.TRAIN] - 4000) < 3.5 * np.sqrt(5000 * 0.8 * 0.2)
    assert abs(counts[Split.VALID] - 500) < 3.5 * np.sqrt(5000 * 0.1 * 0.9)
    assert abs(counts[Split.TEST] - 500) < 3.5 * np.sqrt(5000 * 0.1 * 0.9)


@pytest.mark.parametrize("split", Split)
def test_a_drawn_problem_belongs_to_its_split(split: Split) -> None:
    for seed in range(50):
        instance = Instance("a/b", 1, 0, seed, split)
        number = splits.draw(instance, lambda rng: int(rng.integers(10**6)), lambda state: str(state).encode())
        assert splits.split_of("a/b", str(number).encode()) is split


def test_a_draw_that_accepts_nothing_says_so() -> None:
    with pytest.raises(GenerationFailed, match=r"frozen_lake.v1@0#0:train: 4000 draws gave 0 acceptable problems"):
        splits.draw(INSTANCE, lambda rng: None, bytes)


def test_a_draw_whose_only_problem_belongs_to_another_split_says_so() -> None:
    other = next(split for split in Split if split is not splits.split_of("a/b", b"one"))
    with pytest.raises(GenerationFailed, match=f"4000 acceptable problems and none in the {other} split"):
        splits.draw(Instance("a/b", 1, 0, 0, other), lambda rng: b"one", bytes)


# Events


def test_the_vocabulary_is_small_and_every_word_has_a_meaning_of_its_own() -> None:
    assert len(VOCABULARY) <= 150
    assert all(re.fullmatch(r"[a-z]+(_[a-z]+)+", word) for word in VOCABULARY)
    assert all(meaning.strip() for meaning in VOCABULARY.values())
    assert len(set(VOCABULARY.values())) == len(VOCABULARY)


def test_what_is_costly_is_asked_of_problems_of_the_split_alone() -> None:
    asked: list[bytes] = []

    def suits(state: bytes) -> bool:
        asked.append(state)
        return len(asked) > 3

    drawn = splits.draw(INSTANCE, lambda rng: rng.bytes(4), lambda state: state, suits)
    assert asked[-1] == drawn
    assert len(asked) == 4
    assert all(split_of(INSTANCE.env_id, state) is INSTANCE.split for state in asked)
    with pytest.raises(GenerationFailed, match="split that suits"):
        splits.draw(INSTANCE, lambda rng: b"one", bytes, lambda state: False)
