"""What `palaestra train` and `palaestra evaluate` say of a checkpoint that is damaged, cut off, or somebody else's."""

import json
import shutil
from hashlib import sha256
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
from safetensors.torch import save  # noqa: E402  comes with the extra

TINY = [Path(__file__).parents[2] / "configs" / "tiny.toml", "--set", "base.warm.steps=1"]
EVALUATE = ["evaluate", "--per-scale", 1, "--set", 'environments=["grid/frozen_lake"]']


@pytest.fixture(scope="module")
def whole(palaestra, tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole") / "run"
    assert palaestra("train", *TINY, "--out", folder).exit_code == 0
    return folder


def truncated(folder):
    weights = folder / "state.safetensors"
    weights.write_bytes(weights.read_bytes()[:-100])


def cut_off(folder):
    data = folder / "state.json"
    data.write_bytes(data.read_bytes()[:100])


def another_json(folder):
    (folder / "state.json").write_text('{"model_type": "llama"}')


def a_list(folder):
    (folder / "state.json").write_text("[1, 2]")


def no_text(folder):
    (folder / "state.json").write_bytes(b"\xff\xfe\x00")


def other_fields(folder):
    (folder / "state.json").write_text('{"updates": 8, "tensors": "00"}')


def another_model(folder):
    """Weights of something else, with a digest that agrees."""
    weights = save({"model.embed_tokens.weight": torch.zeros(8, 8)})
    (folder / "state.safetensors").write_bytes(weights)
    told(folder, tensors=sha256(weights).hexdigest())


def garbage(folder):
    (folder / "state.safetensors").write_bytes(b"no tensors at all")
    told(folder, tensors=sha256(b"no tensors at all").hexdigest())


def another_shape(folder):
    told(folder, shape={"vocabulary": "many"})


def another_generator(folder):
    told(folder, rng={"bit_generator": "MT19937"})


def no_source(folder):
    told(folder, source=None)


def told(folder, **changes):
    data = json.loads((folder / "state.json").read_bytes())
    (folder / "state.json").write_text(json.dumps({**data, **changes}))


def no_weights(folder):
    (folder / "state.safetensors").unlink()


def a_folder(folder):
    (folder / "state.json").unlink()
    (folder / "state.json").mkdir()


DAMAGES = {
    truncated: "its files are not those of this checkpoint",
    cut_off: "state.json is no checkpoint of this engine",
    another_json: "no checkpoint of this engine: it lacks 'updates'",
    a_list: "no checkpoint of this engine",
    no_text: "no checkpoint of this engine",
    other_fields: "its files are not those of this checkpoint",
    another_model: "was written by another version of the engine",
    garbage: "was written by another version of the engine",
    another_shape: "was written by another version of the engine",
    another_generator: "was written by another version of the engine",
    no_source: "was written by another version of the engine",
    no_weights: "holds no whole checkpoint (No such file or directory",
    a_folder: "state.json cannot be read: Is a directory",
}


def refused(result, said):
    assert (result.exit_code, result.stdout) == (2, "")
    assert "Traceback" not in result.stderr
    assert said in " ".join(result.stderr.split())


@pytest.mark.parametrize(("damage", "said"), DAMAGES.items(), ids=[damage.__name__ for damage in DAMAGES])
def test_a_damaged_checkpoint_is_named_and_refused(palaestra, whole, tmp_path, damage, said):
    for number, where in enumerate(("base", "000008")):
        folder = tmp_path / str(number)
        shutil.copytree(whole, folder)
        damage(folder / "checkpoints" / where)
        refused(palaestra(*EVALUATE, folder), said)
        if where != "base":  # a run that is through does not open its base again
            refused(palaestra("train", *TINY, "--out", folder), said)
    for path in whole.glob("checkpoints/base/*"):
        shutil.copy(path, tmp_path)
    damage(tmp_path)
    refused(palaestra("train", *TINY, "--set", f"base.start={tmp_path}", "--out", tmp_path / "new"), said)


def test_a_folder_of_somebody_elses_model_is_no_checkpoint(palaestra, whole, tmp_path):
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    (theirs / "config.json").write_text('{"architectures": ["LlamaForCausalLM"]}')
    (theirs / "model.safetensors").write_bytes(save({"lm_head.weight": torch.zeros(2, 2)}))
    for start in (theirs, theirs / "model.safetensors", tmp_path / "nowhere"):
        result = palaestra("train", *TINY, "--set", f"base.start={start}", "--out", tmp_path / "new")
        refused(result, "holds no checkpoint; name")
        assert not (tmp_path / "new").exists()
    shutil.copytree(theirs, tmp_path / "run" / "checkpoints" / "base")
    refused(palaestra(*EVALUATE, tmp_path / "run"), "holds no checkpoint to judge")
    refused(palaestra("train", *TINY, "--out", tmp_path / "run"), "is not a run")


def test_a_device_that_is_not_there_ends_with_code_2_and_writes_nothing(palaestra, whole, tmp_path, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    for name in ("device", "base.device"):
        refused(palaestra("train", *TINY, "--set", f"{name}=cuda", "--out", tmp_path / "run"), "finds no CUDA device")
        assert not (tmp_path / "run").exists()
    refused(palaestra(*EVALUATE, "--set", "device=cuda", whole), "finds no CUDA device")
    refused(
        palaestra("train", *TINY, "--set", "device=gpu", "--out", tmp_path / "run"), "wanted one of auto, cpu, cuda"
    )
