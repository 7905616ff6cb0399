"""A Qwen3-VL of two layers with random weights, and its processor without torchvision: eyes for tests."""

TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}:{% for part in m['content'] %}{% if part['type'] == 'image' %}"
    "<|vision_start|><|image_pad|><|vision_end|>{% else %}{{ part['text'] }}{% endif %}{% endfor %}<|im_end|>"
    "{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant:{% endif %}"
)
MARKS = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|vision_start|>", "<|vision_end|>", "<|image_pad|>"]


def processor():
    """Return a processor whose words are bytes, for pictures and no videos."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast, Qwen3VLProcessor
    from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import Qwen2VLImageProcessorPil

    class WithoutVideos(Qwen3VLProcessor):
        def check_argument_for_proper_class(self, name, argument):
            return type(argument)

    marks = [*MARKS, "<|video_pad|>"]
    words = {word: n for n, word in enumerate([*marks, *sorted(pre_tokenizers.ByteLevel.alphabet())])}
    raw = Tokenizer(models.BPE(words, []))
    raw.pre_tokenizer, raw.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=raw, pad_token=MARKS[0], eos_token=MARKS[2], additional_special_tokens=marks[1:]
    )
    named = {"image_token": MARKS[5], "video_token": marks[6], "vision_start_token": MARKS[3]}
    for name, token in {**named, "vision_end_token": MARKS[4]}.items():
        setattr(tokenizer, name, token)
        setattr(tokenizer, f"{name}_id", words[token])
    eyes = Qwen2VLImageProcessorPil(
        patch_size=16, temporal_patch_size=2, merge_size=2, size={"shortest_edge": 1024, "longest_edge": 65536}
    )
    return WithoutVideos(image_processor=eyes, tokenizer=tokenizer, video_processor=None, chat_template=TEMPLATE)


def network():
    """Return an untrained one."""
    import torch
    from transformers import Qwen3VLConfig, Qwen3VLForConditionalGeneration

    torch.manual_seed(0)
    rope = {"rope_type": "default", "rope_theta": 1e4, "mrope_section": [4, 2, 2], "mrope_interleaved": True}
    text = {
        "vocab_size": 263, "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "head_dim": 16,
        "num_attention_heads": 4, "num_key_value_heads": 2, "rope_parameters": rope, "eos_token_id": 2,
    }  # fmt: skip
    eyes = {
        "depth": 2, "hidden_size": 32, "intermediate_size": 64, "num_heads": 2, "out_hidden_size": 64,
        "patch_size": 16, "temporal_patch_size": 2, "spatial_merge_size": 2, "num_position_embeddings": 64,
        "deepstack_visual_indexes": [0],
    }  # fmt: skip
    return Qwen3VLForConditionalGeneration(
        Qwen3VLConfig(
            text_config=text, vision_config=eyes, image_token_id=5, video_token_id=6, vision_start_token_id=3,
            vision_end_token_id=4,
        )
    )  # fmt: skip
