"""Training examples: what they hold of an item, on disk and back."""

from pathlib import Path

import pyarrow.parquet as pq
import pytest

import isovist
from isovist.data.dataset.rows import item_to_row
from isovist.data.dataset.training_examples import EXAMPLES, ChatMessage, TrainingExample, of_item, of_row, table, training_example

REASONED = "cdr/relative-compass-letter"


def made() -> list[TrainingExample]:
    rows = [item_to_row(item) for item in isovist.generate([REASONED, "cdr/object-classification-number"], n=3, split="train")]
    return [
        *map(of_row, rows),
        *(of_row(one, "reasoning") for one in rows[:3]),
        TrainingExample("general/0", "general", "general", "", (), (ChatMessage("user", "Hello?"), ChatMessage("assistant", "Hello."))),
    ]


def test_an_example_asks_for_what_it_teaches_and_its_key_judges_it() -> None:
    for example in made()[:-1]:
        assert example.answer is not None
        assert example.answer.score(example.reply).credit == 1
        assert example.asked[0].content.count("<image>") == len(example.images)
        assert ("step by step" in example.asked[0].content) == (example.kind == "reasoning")
        assert ("\n" in example.reply) == (example.kind == "reasoning")


def test_a_bare_answer_stands_on_a_final_line_where_the_style_asks_for_one() -> None:
    one = item_to_row(isovist.generate(REASONED, n=1)[0])
    assert of_row(one, style="final-line").reply == f"Answer: {one.answer}"


def test_an_item_gives_the_example_of_its_row() -> None:
    item = isovist.generate(REASONED, n=1, split="train")[0]
    for kind in ("answer", "reasoning"):
        for style in (None, "final-line"):
            assert of_item(item, kind, style) == of_row(item_to_row(item), kind, style)


def test_a_row_without_reasoning_says_so() -> None:
    with pytest.raises(ValueError, match="has no reasoning to learn from"):
        of_row(item_to_row(isovist.generate("cdr/object-classification-number", n=1)[0]), "reasoning")


def test_examples_come_back_from_parquet_and_load_with_datasets(tmp_path: Path) -> None:
    pq.write_table(table(made()), tmp_path / "train.parquet")
    with pq.ParquetFile(tmp_path / "train.parquet") as file:
        assert file.schema_arrow.equals(EXAMPLES)
        assert [training_example(row) for batch in file.iter_batches() for row in batch.to_pylist()] == made()
    datasets = pytest.importorskip("datasets")
    loaded = datasets.load_dataset("parquet", data_files=str(tmp_path / "train.parquet"), split="train", cache_dir=str(tmp_path / "cache"))
    assert loaded[0]["images"][0].size == isovist.generate(REASONED, n=1, split="train")[0].images[0].size
    assert [turn["role"] for turn in loaded[-1]["turns"]] == ["user", "assistant"]
