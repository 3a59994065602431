"""What the help of each set of `isovist import` says: which files it reads, where they come from, and under which licence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["published", "mapped", "photographs", "upright", "predictions"]

_UNKNOWN = "not stated here; read it at the source before you use the data"


@dataclass(frozen=True, slots=True)
class Page:
    """The help of one set. `home`: where its owners publish it; empty where that is not known. `options`: those only some sets have."""

    kind: Kind
    title: str
    summary: str
    files: str
    home: str = ""
    licence: str = _UNKNOWN
    example: str = ""
    options: tuple[str, ...] = ()


def _published(title: str, files: str, home: str, *options: str, licence: str = _UNKNOWN) -> Page:
    return Page("published", title, f"Import the published benchmark {title} as a dataset folder.", files, home, licence, options=options)


def _photographs(title: str, files: str, home: str, *options: str, example: str = "") -> Page:
    summary = f"Import {title}: DORI-style questions about its annotated images."
    return Page("photographs", title, summary, files, home, example=example, options=("tasks", "limit", "seed", *options))


PAGES = {
    "srbench": _published(
        "SRBench (1,800 images with questions)",
        "Parquet, JSON or JSON Lines with the columns image, question, answer and split.",
        "https://huggingface.co/datasets/stogian/srbench",
        licence="MIT, by its repository; the images may have another",
    ),
    "spatialeval": _published(
        "SpatialEval (its mazes; with --all-tasks every task)",
        "Parquet, JSON or JSON Lines with the columns id, text, oracle_answer, oracle_option, oracle_full_answer and image.",
        "https://huggingface.co/datasets/MilaWang/SpatialEval",
        "all_tasks",
    ),
    "egoorient": _published(
        "EgoOrientBench",
        "benchmark.json, and the image folder, a separate download, below the same folder.",
        "https://github.com/jhCOR/EgoOrientBench",
    ),
    "spatial-mm": _published(
        "Spatial-MM",
        "The JSON files of data/ (one object, two objects, several steps), and the images, a separate download.",
        "https://github.com/FatemehShiri/Spatial-MM",
    ),
    "cospace": _published(
        "CoSpace",
        "The thirteen files of JSON Lines of the repository, and the images (StephenZhu/CoSpace on Hugging Face) below the same folder.",
        "https://github.com/THUNLP-MT/CoSpace",
        licence="its repository has no licence file",
    ),
    "dori": _published(
        "DORI",
        "Parquet, JSON or JSON Lines. Usual names of columns are tried; --column-mapping names others.",
        "https://huggingface.co/datasets/appledora/DORI-Benchmark",
        "mapping",
        licence="MIT, by its data card; the datasets of its photographs keep theirs",
    ),
    "cdr": _published(
        "CDR (compass direction reasoning)",
        "Parquet, JSON or JSON Lines. Usual names of columns are tried; --column-mapping names others.",
        "",
        "mapping",
    ),
    "perceptv": _published(
        "Percept-V",
        "A folder for each domain, with data.json, data/ and prompts/.",
        "https://github.com/dair-iitd/Percept-V",
    ),
    "vqa": Page(
        "mapped",
        "Any other set, with a mapping of its columns",
        "Import any visual question answering set as a dataset folder. A TOML file states what its columns hold.",
        "A JSON, JSON Lines, CSV, TSV or Parquet file, or a folder of them if the mapping has the key files. docs/importing.md"
        " describes mappings, and examples/vqa/ has some.",
        example="downloads/MMBench_DEV_EN.tsv --mapping examples/vqa/mmbench.toml --out data/mmbench",
        options=("vqa_mapping", "images"),
    ),
    "kitti": _photographs(
        "KITTI (object detection)",
        "label_2/NAME.txt beside image_2/NAME.png; PATH is the folder that holds both.",
        "https://www.cvlibs.net/datasets/kitti",
        example="downloads/kitti/training --out data/kitti --limit 100",
    ),
    "cityscapes3d": _photographs(
        "Cityscapes 3D",
        "gtBbox3d/.../NAME_gtBbox3d.json and leftImg8bit/.../NAME_leftImg8bit.png.",
        "https://www.cityscapes-dataset.com",
    ),
    "jta": _photographs(
        "JTA (Joint Track Auto), persons in a computer game",
        "annotations/SPLIT/seq_N.json, and frames as the project's script extracts them: frames/SPLIT/seq_N/F.jpg.",
        "https://github.com/fabbrimatteo/JTA-Dataset",
    ),
    "3d-future": _photographs(
        "3D-FUTURE (rendered rooms)",
        "A JSON file in COCO's format (train_set.json, test_set.json), and image/.",
        "https://tianchi.aliyun.com/specials/promotion/alibaba-3d-future",
    ),
    "objectron": _photographs(
        "Objectron",
        "NAME.pbdata, and extracted frames: NAME/FRAME.jpg. Requires the extra objectron.",
        "https://github.com/google-research-datasets/Objectron",
    ),
    "nocs": _photographs(
        "NOCS REAL275 (tables with small objects)",
        "real_test/scene_N/FFFF_color.png, and arrays in results_real_test_scene_N_FFFF.npz. Pickles are not read: docs/importing.md"
        " has a script that writes the arrays.",
        "https://github.com/hughw19/NOCS_CVPR2019",
    ),
    "coco": _photographs(
        "COCO, with directions that you label",
        "instances_*.json and its images; and --labels, a CSV file with the columns annotation and facing.",
        "https://cocodataset.org",
        "labels",
        example="downloads/coco/annotations/instances_val2017.json --labels facing.csv --out data/coco",
    ),
    "upright": Page(
        "upright",
        "Upright photographs of your own",
        "Import a folder of upright photographs: each is flipped and rotated, and the question is how to make it upright.",
        "A folder of images (PNG, JPEG, WebP, BMP, TIFF); subfolders are not read. --labels lists those with readable words.",
        example="photos --labels with-words.csv --limit 50 --out data/upright",
        options=("words", "limit", "seed"),
    ),
    "predictions": Page(
        "predictions",
        "Responses of VLMEvalKit, lmms-eval, EvalScope or others",
        "Import the responses of another tool to generated or exported items, as a run for `isovist report`. Isovist's parser scores them.",
        "The results folder of VLMEvalKit, lmms-eval or EvalScope, or one of its files; for jsonl, JSON Lines with id and response.",
        example="outputs --source-tool vlmevalkit --data data/cdr --out runs/vlmevalkit",
        options=("tool", "data", "limit", "model"),
    ),
}


def text(name: str) -> str:
    """The help of a set, without its options."""
    return page_text(name, PAGES[name])


def page_text(name: str, page: Page) -> str:
    """The help of a set that `page` describes."""
    theirs = page.kind in ("published", "photographs")
    return "\n\n".join(
        (
            page.summary,
            f"PATH: {page.files}{' Download them first.' if theirs else ''}",
            *((f"Source: {page.home or 'not known here'}", f"Licence: {page.licence}.") if theirs else ()),
            "skipped.jsonl in --out lists what was skipped, each line with its reason.",
            f"\b\nExample: isovist import {name} {page.example or f'downloads/{name} --out data/{name}'}",
        )
    )
