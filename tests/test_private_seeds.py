"""Private seeds: opaque ids, secret files, and a search of everything written for the seed and the secret."""

from __future__ import annotations

import hmac
import json
import os
import re
import stat
from collections.abc import Iterable
from hashlib import sha256
from itertools import pairwise
from pathlib import Path

import pytest
from conftest import TASKS_OF_RELEASE as TASKS
from leak_search import leaks, needles
from scripted import Said, serving
from workbench import contents, done, isovist, parquet, records, refused, spoil, stored, write_records

import isovist as package
from isovist.common import private_seeds
from isovist.common.errors import UserError
from isovist.common.private_seeds import VARIABLE, Secret
from isovist.core.item_ids import keyed_order, stated_design, stated_release, unique_part
from isovist.core.task import ItemAddress
from isovist.data.dataset.manifest import Manifest
from isovist.data.dataset.rows import ItemRow
from isovist.data.dataset.verify import difference, key_difference
from isovist.data.item import item as regenerate
from isovist.evaluation.run.run_folder import RunFolder

KEY = bytes.fromhex("0f" * 16 + "a5" * 16)
ADDRESS = re.compile(rb"@\d+:(?:test|train):[^:\s#]+:-?\d+:\d+")


@pytest.fixture(scope="session")
def secret_file(definition: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("secret") / "place-of-the-secret.toml"
    done("release", "secret", definition, "--out", path)
    return path


@pytest.fixture(scope="session")
def secret(secret_file: Path) -> Secret:
    return private_seeds.read(secret_file)


@pytest.fixture(scope="session")
def private(definition: Path, secret_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data of the release with the private seed."""
    folder = tmp_path_factory.mktemp("private") / "data"
    done("release", "generate", definition, "--secret", secret_file, "--workers", 1, "--out", folder)
    return folder


# Secrets ----------------------------------------------------------------------------------------------------------


def test_a_secret_file_is_private_and_never_overwritten(definition: Path, tmp_path: Path) -> None:
    path = tmp_path / "new" / "secret.toml"
    ended = done("release", "secret", definition, "--out", path)
    made = private_seeds.read(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert f"Commitment: {sha256(made.key.hex().encode()).hexdigest()}" in ended.out
    assert made.key.hex() not in ended.out + ended.err
    before = path.read_bytes()
    refused(isovist("release", "secret", definition, "--out", path), "exists", "never overwritten")
    assert path.read_bytes() == before
    assert private_seeds.create(tmp_path / "other.toml", "tiny-1").key != made.key


def test_the_seed_is_63_bits_of_a_keyed_hash() -> None:
    secret = Secret("tiny-1", KEY)
    assert secret.seed == int(hmac.new(KEY, b"tiny-1", "sha256").hexdigest()[:16], 16) // 2
    assert 0 <= secret.seed < 2**63
    assert Secret("tiny-2", KEY).seed != secret.seed
    assert "0f0f" not in repr(secret)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "not TOML",
        'release = "tiny-1"',
        f'secret = "{"a" * 64}"',
        f'release = "tiny-1"\nsecret = "{"a" * 63}"',
        f'release = "tiny-1"\nsecret = "{"g" * 64}"',
        f'release = 1\nsecret = "{"a" * 64}"',
        f'release = "tiny 1"\nsecret = "{"a" * 64}"',
        f'release = "tiny-1"\nsecret = "{"a" * 64}"\nseed = 1',
        "\0\1\2",
    ],
)
def test_a_malformed_secret_file_is_refused_without_its_content(definition: Path, tmp_path: Path, text: str) -> None:
    path = tmp_path / "secret.toml"
    path.write_text(text, encoding="utf-8")
    out = tmp_path / "out"
    message = refused(isovist("release", "generate", definition, "--secret", path, "--out", out), "Not a secret file", str(path))
    assert "aaaa" not in message
    assert "gggg" not in message
    assert not out.exists()


def test_missing_and_wrong_secrets_are_refused(definition: Path, private: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out, model = tmp_path / "out", ("--model", "simulated/random")
    missing, folder = tmp_path / "missing.toml", tmp_path
    for path in (missing, folder):
        refused(isovist("run", "--release", definition, "--secret", path, *model, "--out", out), "cannot be read", str(path))
    private_seeds.create(tmp_path / "other.toml", "other-1")
    refused(
        isovist("run", "--release", definition, "--secret", tmp_path / "other.toml", *model, "--out", out), "another release", "other-1"
    )
    refused(isovist("verify", private, "--workers", 1), "private seed", "--secret", VARIABLE)
    private_seeds.create(tmp_path / "wrong.toml", "tiny-1")
    refused(
        isovist("release", "verify", definition, "--data", private, "--secret", tmp_path / "wrong.toml"), "not that of", "release generate"
    )
    monkeypatch.setenv(VARIABLE, str(tmp_path / "wrong.toml"))
    refused(isovist("verify", private, "--workers", 1), "Wrong secret", "commitment")
    assert not out.exists()


def test_a_run_cannot_continue_with_another_secret(definition: Path, secret_file: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    command = ("run", "--release", definition, "--model", "simulated/random", "--workers", 1, "--out", out)
    done(*command, "--secret", secret_file)
    private_seeds.create(tmp_path / "wrong.toml", "tiny-1")
    before = contents(out)
    refused(isovist(*command, "--secret", tmp_path / "wrong.toml"), "another secret of tiny-1/short")
    refused(isovist(*command), "already has")
    assert contents(out) == before


# Ids --------------------------------------------------------------------------------------------------------------


def test_ids_are_opaque_and_state_what_reports_need(private: Path, secret: Secret) -> None:
    rows = stored(private)
    assert len({row.id for row in rows}) == len(rows) == release_count(private)
    for row in rows:
        assert re.fullmatch(rf"{row.task}@{row.version}:test:{row.level}:tiny-1:[0-9a-f]{{16}}", row.id)
        assert row.seed == 0
        design = stated_design(row.id)
        assert (design.task, design.version, design.split, design.level) == (row.task, row.version, row.split, row.level)
        assert stated_release(row.id) == "tiny-1"
        with pytest.raises(ValueError, match="not an item id"):
            ItemAddress.parse(row.id)
        with pytest.raises(ValueError, match="private seed"):
            regenerate(row.id)
    compass, step = ({row.group for row in rows if row.task == task} for task in TASKS[:2])
    assert compass & step  # tasks with the same images have the same groups
    full = regenerate(f"{TASKS[0]}@{rows[0].version}:test:standard:{secret.seed}:0")
    token = hmac.new(secret.key, full.id.encode(), "sha256").hexdigest()[:16]
    (first,) = [row for row in rows if unique_part(row.id) == token]
    assert first.key == full.answer
    assert first.prompt == full.prompt


def release_count(data: Path) -> int:
    return sum(part.n for part in Manifest.read(data).parts)


def test_ordinary_ids_are_as_before() -> None:
    id = "cdr/step-cell-letter@3:test:standard:0:3:size=300#0123456789abcdef"
    assert stated_release(id) == ""
    assert stated_design(id).level == "standard"
    assert unique_part(id) == "0123456789abcdef"
    assert unique_part("photo/17") == "photo/17"
    with pytest.raises(ValueError, match="not an item id"):
        stated_design("photo/17")


def test_the_private_items_are_others_than_the_public_ones(definition: Path, private: Path, tmp_path: Path) -> None:
    done("release", "generate", definition, "--workers", 1, "--out", tmp_path / "public")
    public = {row.content for row in stored(tmp_path / "public")}
    assert len(public & {row.content for row in stored(private)}) <= 1


def test_items_do_not_depend_on_workers(definition: Path, secret_file: Path, private: Path, tmp_path: Path) -> None:
    command = ("release", "generate", definition, "--secret", secret_file)
    done(*command, "--workers", 2, "--out", tmp_path / "data")
    assert contents(tmp_path / "data") == contents(private)
    done(*command, "--workers", 1, "--out", tmp_path / "data")
    assert contents(tmp_path / "data") == contents(private)


def test_an_interrupted_generation_continues(
    definition: Path, secret_file: Path, private: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import isovist.data.dataset.generate as generation

    before, calls = generation._write, list[str]()

    def write(part: generation.DataPart, file: int, path: Path) -> int:
        calls.append(part.task)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return before(part, file, path)

    command = ("release", "generate", definition, "--secret", secret_file, "--workers", 1, "--out", tmp_path / "data")
    monkeypatch.setattr(generation, "_write", write)
    assert isovist(*command).code == 130
    assert not leaks(contents(tmp_path), private_seeds.read(secret_file))
    done(*command)
    assert len(calls) == len(TASKS) + 1
    assert contents(tmp_path / "data") == contents(private)


def test_an_error_of_the_sampling_does_not_state_the_seed(
    definition: Path, secret_file: Path, secret: Secret, private: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import traceback
    from dataclasses import replace

    from workbench import install

    from isovist.core.task import RejectSample, SamplingContext
    from isovist.suites import registry

    def rejects(context: SamplingContext) -> object:
        raise RejectSample

    row = stored(private, TASKS[1])[0]
    install(monkeypatch, replace(registry.task(TASKS[1]), sample=rejects))
    with pytest.raises(RuntimeError, match="no scene fits") as caught:
        isovist("release", "generate", definition, "--secret", secret_file, "--workers", 1, "--out", tmp_path / "data")
    assert not leaks({"traceback": "".join(traceback.format_exception(caught.value)).encode()}, secret)
    with private_seeds.using(secret_file):
        assert difference(row) == "cannot be regenerated: no scene fits"
        (part,) = (part for part in Manifest.read(private).parts if part.task == TASKS[1])
        assert not leaks({"text": repr(part.items()).encode()}, secret)


# Verification -----------------------------------------------------------------------------------------------------


def test_rows_are_verified_with_the_secret_alone(
    private: Path, definition: Path, secret_file: Path, secret: Secret, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import shutil

    copy = tmp_path / "data"
    shutil.copytree(private, copy)

    def change(rows: list[dict[str, object]]) -> None:
        rows[0]["answer"], rows[0]["prompt"] = "Z", "What?"
        rows[2], rows[3] = rows[3], rows[2]

    assert "0 differ" in done("release", "verify", definition, "--data", private, "--secret", secret_file, "--workers", 1).out
    monkeypatch.setenv(VARIABLE, str(secret_file))
    assert "0 differ" in done("verify", private, "--workers", 1).out
    assert "0 differ" in done("verify", private, "--workers", 1, "--sample", 5).out
    spoil(parquet(copy, TASKS[0]), change)
    ended = isovist("verify", copy, "--workers", 1)
    assert ended.code == 1
    assert "3 differ" in ended.out
    assert "is in the place of item 2" in ended.out
    assert not leaks({"output": (ended.out + ended.err).encode()}, secret)
    row = stored(private)[0]
    assert difference(row) is None
    assert key_difference(row) is None


def test_a_run_is_verified_as_far_as_the_secret_allows(
    private: Path, secret_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done("run", "--data", private, "--model", "simulated/oracle", "--out", tmp_path / "run")
    done("report", tmp_path / "run", "--out", tmp_path / "without")
    text = (tmp_path / "without" / "report.md").read_text(encoding="utf-8")
    assert "0 items regenerated (not possible for the private seed of tiny-1/short without its secret)" in text
    assert "Release: tiny-1/short, private seeds" in text
    monkeypatch.setenv(VARIABLE, str(secret_file))
    done("report", tmp_path / "run", "--out", tmp_path / "with")
    assert f"{release_count(private)} items regenerated" in (tmp_path / "with" / "report.md").read_text(encoding="utf-8")
    assert RunFolder(tmp_path / "run").info().release == "tiny-1/short"


# Runs -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "accuracy"),
    [
        ("simulated/oracle", 1.0),
        ("simulated/random", None),
        ("simulated/pixel-solver", None),
        ("simulated/psychometric:threshold=9", None),
        ("simulated/deficit:left-right", None),
        ("simulated/failed-subtask:rotate-compass", None),
    ],
)
def test_simulated_models_answer_private_items(private: Path, tmp_path: Path, model: str, accuracy: float | None) -> None:
    run = package.evaluate(model, data=private, out=tmp_path / "run", progress=False)
    assert len(records(run.path)) == release_count(private)
    assert not [record for record in records(run.path) if record["outcome"] == "request_error"]
    if accuracy:
        assert {record["credit"] for record in records(run.path)} == {accuracy}


def test_the_python_function_takes_a_release_and_leaves_the_environment(
    definition: Path, secret_file: Path, private: Path, tmp_path: Path
) -> None:
    run = package.evaluate("simulated/oracle", release=definition, secret=secret_file, out=tmp_path / "run", progress=False)
    assert VARIABLE not in os.environ
    assert {record["item_id"] for record in records(run.path)} == {row.id for row in stored(private)}
    assert run.metadata.release_text == "tiny-1/short, private seeds"
    with pytest.raises(UserError, match="`form`: medium"):
        package.evaluate("simulated/oracle", release=definition, form="medium", out=tmp_path / "none", progress=False)  # pyright: ignore[reportArgumentType]
    public = package.evaluate("simulated/oracle", release=definition, form="full", out=tmp_path / "public", progress=False)
    assert public.metadata.release_text == "tiny-1/full, public development seed"
    assert not leaks(contents(tmp_path), private_seeds.read(secret_file), secret_file.name.encode())
    with pytest.raises(UserError, match="`secret`"):
        package.evaluate("simulated/oracle", TASKS, secret=secret_file, out=tmp_path / "none", progress=False)


def test_worked_examples_of_private_items_have_a_public_seed(private: Path, secret: Secret, tmp_path: Path) -> None:
    done("run", "--data", private, "--model", "simulated/random", "--shots", 1, "--workers", 1, "--out", tmp_path / "run")
    examples = stored(tmp_path / "run" / "examples")
    assert {(row.split, row.seed) for row in examples} == {("train", 1)}
    assert not leaks(contents(tmp_path / "run"), secret)
    assert not [part for part in Manifest.read(tmp_path / "run" / "examples").parts if part.release or part.is_private]


def test_public_and_private_seeds_are_separate_runs(definition: Path, private: Path, tmp_path: Path) -> None:
    """Items of other seeds are pooled otherwise."""
    done("run", "--data", private, "--model", "simulated/oracle", "--out", tmp_path / "private")
    done("run", "--release", definition, "--model", "simulated/oracle", "--workers", 1, "--out", tmp_path / "public")
    done("report", tmp_path / "private", tmp_path / "public", "--out", tmp_path / "report")
    text = (tmp_path / "report" / "report.md").read_text(encoding="utf-8")
    assert "| Release | tiny-1/short, private seeds | tiny-1/short, public development seed |" in text
    assert "\nRelease: " not in text


# The order --------------------------------------------------------------------------------------------------------


def sent(run: Path) -> list[str]:
    return [record["item_id"] for record in records(run)]


def shuffled(rows: Iterable[ItemRow]) -> list[str]:
    return sorted((row.id for row in rows), key=keyed_order)


@pytest.mark.parametrize("with_secret", [False, True])
def test_private_items_are_sent_in_keyed_order(
    definition: Path, secret_file: Path, private: Path, tmp_path: Path, with_secret: bool
) -> None:
    """The order of the data has each answer once in a block; the keyed order mixes answers, levels and tasks."""
    source = ("--release", definition, "--secret", secret_file) if with_secret else ("--data", private)
    command = ("run", *source, "--model", "simulated/oracle", "--max-connections", 1, "--workers", 1, "--out", tmp_path / "run")
    done(*command)
    rows = stored(private)
    assert sent(tmp_path / "run") == shuffled(rows) != [row.id for row in rows]
    tasks = [stated_design(id).task for id in sent(tmp_path / "run")]
    assert sum(a != b for a, b in pairwise(tasks)) > len(set(tasks))
    write_records(tmp_path / "run", records(tmp_path / "run")[:5])  # as after a kill
    done(*command)
    assert sent(tmp_path / "run") == shuffled(rows)


def test_the_questions_for_a_submitter_have_the_order_of_a_run(private: Path, tmp_path: Path) -> None:
    done("submit", "questions", private, "--out", tmp_path / "questions")
    lines = (tmp_path / "questions" / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["id"] for line in lines] == shuffled(stored(private))


def test_shards_of_private_items_are_no_ranges_and_merge(private: Path, tmp_path: Path) -> None:
    command = ("run", "--data", private, "--model", "simulated/random", "--max-connections", 1, "--mismatched-image")
    shards = [tmp_path / str(index) for index in range(3)]
    for index, shard in enumerate(shards):
        done(*command, "--shard", f"{index}/3", "--out", shard)
    rows = stored(private)
    for shard in shards:
        ids = set(sent(shard))
        assert list(dict.fromkeys(sent(shard))) == shuffled(row for row in rows if row.id in ids)
        assert len(rows) / 6 < len(ids) < len(rows) / 2
        assert any(ids & {a.id} and not ids & {b.id} for a, b in pairwise(rows) if a.task == b.task)
    done("merge", tmp_path / "merged", *shards)
    done(*command, "--out", tmp_path / "whole")
    by_trial = {(record["item_id"], record["variant"]): record["image_hashes"] for record in records(tmp_path / "whole")}
    assert {(record["item_id"], record["variant"]): record["image_hashes"] for record in records(tmp_path / "merged")} == by_trial
    assert list(dict.fromkeys(sent(tmp_path / "merged"))) == [row.id for row in rows]  # as the data are


def test_the_first_items_of_each_task_are_shuffled_too(private: Path, tmp_path: Path) -> None:
    done("run", "--data", private, "--limit", 4, "--model", "simulated/random", "--max-connections", 1, "--out", tmp_path / "run")
    assert sent(tmp_path / "run") == shuffled(row for task in TASKS for row in stored(private, task)[:4])


def test_a_run_of_few_private_items_becomes_one_of_the_release(private: Path, tmp_path: Path) -> None:
    command = ("run", "--data", private, "--model", "simulated/random", "--max-connections", 1, "--out", tmp_path / "run")
    done(*command, "--limit", 2)
    assert RunFolder(tmp_path / "run").info().release == ""
    first = sent(tmp_path / "run")
    done(*command)
    assert RunFolder(tmp_path / "run").info().release_text == "tiny-1/short, private seeds"
    assert sent(tmp_path / "run") == first + [id for id in shuffled(stored(private)) if id not in first]


def test_items_with_a_public_seed_are_sent_in_the_order_of_the_data(definition: Path, tmp_path: Path) -> None:
    done("run", "--release", definition, "--model", "simulated/random", "--max-connections", 1, "--workers", 1, "--out", tmp_path / "run")
    assert sent(tmp_path / "run") == [row.id for row in stored(tmp_path / "run" / "data")]


# The leak ---------------------------------------------------------------------------------------------------------


def test_the_search_finds_what_it_looks_for(tmp_path: Path) -> None:
    """A search that finds nothing proves nothing unless it would find something."""
    import base64
    import gzip

    import pyarrow as pa
    import pyarrow.parquet as pq

    secret = Secret("tiny-1", KEY)
    for name, needle in needles(secret).items():
        assert leaks({"file": b"before " + needle + b" after"}, secret), name
        assert leaks({"file": gzip.compress(needle)}, secret), name
        table = pa.table({"column": [needle.decode("latin-1")], "bytes": [needle]})
        pq.write_table(table, tmp_path / "file.parquet", compression="zstd")
        assert leaks({"file": (tmp_path / "file.parquet").read_bytes()}, secret), name
    text = b"padding that is long enough " + str(secret.seed).encode()
    assert leaks({"file": base64.b64encode(text)}, secret)


def test_nothing_written_or_sent_has_seed_or_secret(
    definition: Path, secret_file: Path, secret: Secret, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ISOVIST_API_KEY", "none")
    printed: list[str] = []

    def command(*args: object) -> None:
        ended = isovist(*args)
        assert ended.code == 0, ended
        printed.append(ended.out + ended.err)

    data, runs = tmp_path / "data", [tmp_path / name for name in ("served", "oracle")]
    command("release", "generate", definition, "--secret", secret_file, "--workers", 1, "--out", data)
    with serving(lambda asked: Said("Answer: A")) as server:
        command(
            "run", "--release", definition, "--secret", secret_file, "--model", "m", "--base-url", server.url, "--workers", 1,
            "--out", runs[0], "--log-level", "debug",
        )  # fmt: skip
        command("run", runs[0] / "config.toml", "--secret", secret_file)  # resumes
        bodies = {f"request {number}": asked.raw for number, asked in enumerate(server.asked)}
    assert len(bodies) == release_count(data)
    command("run", "--data", data, "--model", "simulated/oracle", "--out", runs[1])
    for with_secret in (False, True):
        if with_secret:
            monkeypatch.setenv(VARIABLE, str(secret_file))
        out = tmp_path / f"with-{with_secret}"
        command("report", *runs, "--out", out / "report")
        command("compare", *runs, "--out", out / "compare")
        command("leaderboard", *runs, "--out", out / "leaderboard")
        command("rescore", runs[1])
    command("verify", data, "--workers", 1)
    for name in ("hf", "vlmevalkit", "folder"):
        command("export", data, "--format", name, "--split", "test", "--out", tmp_path / "exports" / name)
    command("show", stored(data)[0].id, "--data", data, "--json", "--image-dir", tmp_path / "images")

    written = contents(tmp_path)
    assert any("items.html" in name for name in written)  # the item browser
    searched = {**written, **bodies, "output": "\n".join(printed).encode(), "names": "\n".join(written).encode()}
    assert not leaks(searched, secret, secret_file.name.encode())
    assert [name for name, content in searched.items() if ADDRESS.search(content)] == []
    assert json.loads(written["served/run.json"])["release"] == "tiny-1/short"
    assert "release = " in written["served/config.toml"].decode()


def test_a_private_release_shows_renderings_only_with_its_secret(private: Path, secret_file: Path, tmp_path: Path) -> None:
    command = ("run", "--data", private, "--limit", 2, "--model", "simulated/random", "--rendering", "half")
    refused(isovist(*command, "--out", tmp_path / "without"), "--secret")
    assert not (tmp_path / "without").exists()
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("ISOVIST_SECRET", str(secret_file))
        done(*command, "--out", tmp_path / "with")
    asked = records(tmp_path / "with")
    assert {record["variant"] for record in asked} == {"", "rendering:half"}
    ids = {row.id for row in stored(private)}
    assert all(record["item_id"] in ids for record in asked)
