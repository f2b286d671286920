"""A real cross-encoder of a few kilobytes: its logit grows with the words that question and text share."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing

from support.onnx_file import FLOAT, INT64, Node, Port, model_bytes

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
WORDS = "where does anna live lives in lisbon the ferry sails at noon tea is hot question text".split()
BIAS = -2.0
"""Of "yes": a shared word adds 1."""


def write_cross_encoder(
    folder: Path,
    *,
    inputs: Sequence[str] = ("input_ids", "attention_mask", "token_type_ids"),
    logits: int = 1,
    pooled: bool = True,
    yes: float = 1.0,
    tokens: str | int = "tokens",
    limit: int | None = None,
) -> Path:
    """
    Write `model.onnx` and `tokenizer.json`.

    Args:
        folder: where to; made if it is not there.
        inputs: what the model declares; without types of tokens it counts a word's repetitions in the whole pair.
        logits: how many it gives; the last one is "yes", the others are 0.
        pooled: whether the words' counts are summed up; if not, the output is as an embedding model's.
        yes: weight of a shared word.
        tokens: how many tokens it takes; any number, if it is a word.
        limit: the tokenizer's own, if it has one.
    """
    folder.mkdir(exist_ok=True)
    (folder / "model.onnx").write_bytes(_model(inputs, logits, pooled=pooled, yes=yes, tokens=tokens))
    _tokenizer(limit).save(str(folder / "tokenizer.json"))
    return folder


def _tokenizer(limit: int | None) -> Tokenizer:
    tokenizer = Tokenizer(
        WordLevel({word: n for n, word in enumerate([*SPECIAL, *WORDS])}, unk_token="[UNK]")
    )
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    if limit is not None:
        tokenizer.enable_truncation(limit)
        tokenizer.enable_padding(length=limit)
    return tokenizer


def _model(inputs: Sequence[str], logits: int, *, pooled: bool, yes: float, tokens: str | int) -> bytes:
    """Each side of the pair becomes the counts of its words; what is shared is their product."""
    words = np.eye(len(SPECIAL) + len(WORDS), dtype=np.float32)
    words[: len(SPECIAL)] = 0
    weights, bias = np.zeros((1, logits), np.float32), np.zeros(logits, np.float32)
    weights[0, -1], bias[-1] = yes, BIAS
    has_sides = "token_type_ids" in inputs
    nodes = [
        Node("Gather", ["words", "input_ids"], "one_hot"),
        Node("Cast", ["attention_mask"], "all", {"to": FLOAT}),
        Node("Cast", ["token_type_ids" if has_sides else "attention_mask"], "second", {"to": FLOAT}),
        *([Node("Sub", ["all", "second"], "first")] if has_sides else [Node("Identity", ["all"], "first")]),
        Node("Unsqueeze", ["first"], "first_row", {"axes": [1]}),
        Node("Unsqueeze", ["second"], "second_row", {"axes": [1]}),
        Node("MatMul", ["first_row", "one_hot"], "first_counts"),
        Node("MatMul", ["second_row", "one_hot"], "second_counts"),
        Node("Mul", ["first_counts", "second_counts"], "shared"),
        Node("ReduceSum", ["shared"], "shared_count", {"axes": [2], "keepdims": 0}),
        Node("MatMul", ["shared_count", "weights"], "weighed"),
        Node("Add", ["weighed", "bias"], "logits"),
    ]
    return model_bytes(
        nodes,
        inputs=[Port(name, INT64, ["pairs", tokens]) for name in inputs],
        outputs=[Port("logits", FLOAT, ["pairs", logits])]
        if pooled
        else [Port("shared", FLOAT, ["pairs", 1, len(words)])],
        constants={"words": words, "weights": weights, "bias": bias},
    )
