"""A Llama of two layers that reads bytes, and has learnt to name either lever as often: weights for tests."""

from pathlib import Path

from levers import SIDES, Lever

from palaestra.core.observation import SYMBOLIC

TEMPLATE = (
    "{% for m in messages %}<{{ m['role'] }}>{{ m['content'] }}{% if m['role'] == 'assistant' %}<end>{% endif %}"
    "{% endfor %}{% if add_generation_prompt %}<assistant>{% endif %}"
)


def text(world: Lever, room: int) -> str:
    """What a player reads of a room, who sees no picture."""
    return SYMBOLIC.show(world.view(room, 0)).text


def tokenizer():
    """Every byte is a token."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    marks = ["<pad>", "<end>", "<user>", "<assistant>", "<system>"]
    words = {word: n for n, word in enumerate([*marks, *sorted(pre_tokenizers.ByteLevel.alphabet())])}
    raw = Tokenizer(models.BPE(words, []))
    raw.pre_tokenizer, raw.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    made = PreTrainedTokenizerFast(
        tokenizer_object=raw, pad_token="<pad>", eos_token="<end>", additional_special_tokens=marks[2:]
    )
    made.chat_template = TEMPLATE
    return made


def network(seed: int = 0):
    """An untrained one."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(seed)
    return LlamaForCausalLM(
        LlamaConfig(
            vocab_size=261, hidden_size=64, intermediate_size=128, num_hidden_layers=2, num_attention_heads=4,
            num_key_value_heads=2, bos_token_id=None, eos_token_id=1, pad_token_id=0,
        )
    )  # fmt: skip


def make(folder: Path, world: Lever, steps: int = 60) -> Path:
    """Write a model into a folder that names either lever of a world, and return the folder."""
    import torch

    torch.set_num_threads(1)
    words, net = tokenizer(), network()
    optimiser = torch.optim.Adam(net.parameters(), lr=1e-2)
    said = [words.encode(f"{side}<end>") for side in SIDES.options]
    for step in range(steps):
        asked = words.encode(f"<user>{text(world, step)}<assistant>")
        rows = [[*asked, *reply] for reply in said]
        longest = max(map(len, rows))
        tokens = torch.tensor([row + [0] * (longest - len(row)) for row in rows])
        wanted = tokens.masked_fill(torch.arange(longest) < len(asked), -100).masked_fill(tokens == 0, -100)
        optimiser.zero_grad()
        net(input_ids=tokens, labels=wanted).loss.backward()
        optimiser.step()
    net.save_pretrained(folder)
    words.save_pretrained(folder)
    return folder
