"""Other renderings of the images: what they show, which items have them, and their runs."""

from __future__ import annotations

import csv
import io
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import TASKS
from numpy.typing import NDArray
from PIL import Image
from workbench import contents, done, isovist, records, refused

from isovist import evaluate
from isovist.common import canary
from isovist.common.errors import UserError
from isovist.core.drawing2d import Circle, Drawing, Line, Polygon, Shape
from isovist.core.rotation import cosine, sine
from isovist.core.scene3d import Box, Camera, Light, MeshRef, ObjectMarker, Pose, Prism, Scene3D, SceneObject, Texture
from isovist.data import items
from isovist.data.dataset.pictures import opened
from isovist.data.dataset.rows import ItemRow, item_to_row
from isovist.evaluation.inspect_tasks.variant_parameter import require_effect, variant_settings
from isovist.evaluation.models.base import ModelRequest
from isovist.evaluation.models.baselines.pixel_solvers import solve_from_pixels
from isovist.evaluation.run.renderings import StoredRenderings, excluded, of_task, rendered
from isovist.evaluation.run.variants import VariantSettings, family, trials
from isovist.suites import registry
from isovist.suites.perceptv.raised_drawings import NOT_RAISED, RAISED
from isovist.suites.perceptv.shared_parts import GAP, SKILLS
from isovist.world.render import meshes, primitives, raised_drawing, rasterizer3d, renderings, scene_image
from isovist.world.render.asset_pool import encoded, linear

Pixels = NDArray[np.uint8]
RAISED_TASKS = [f"perceptv/{name}" for name in RAISED]
SOLIDS = [id for id in registry.tasks() if id.startswith("solids/")]
AUTHORS = ("change-colour", "colours-present", "count-coloured-circles", "counting-circles", "counting-shapes", "numbered-shapes")
SOLVED = (
    *("change-colour", "circle-boxes", "circle-location", "comparing-size"),
    *("count-coloured-circles", "counting-circles", "counting-shapes"),
)
"""Domains whose pixel solvers, written for drawings, also read the 3-D scenes."""


def decoded(image: bytes) -> Pixels:
    with opened(image) as picture:
        return np.asarray(picture.convert("RGB"))


def row_of(task: str, index: int = 0, **settings: Any) -> ItemRow:
    return item_to_row(items.generate(task, n=index + 1, **settings)[index])


# 3-D scenes of drawings -------------------------------------------------------------------------------------------


def test_every_domain_is_raised_or_has_a_reason() -> None:
    assert {*RAISED, *NOT_RAISED} == set(SKILLS)
    assert not {*RAISED} & {*NOT_RAISED}
    assert set(AUTHORS) <= {*RAISED}
    assert {task.id for task in registry.tasks().values() if task.images.raised} == {*RAISED_TASKS, *SOLIDS}
    page = Path("docs/perceptv.md").read_text(encoding="utf-8")
    assert all(f"| {name} |" in page for name in RAISED)


def test_the_sides_of_pieces_are_lower_than_the_gaps_between_them() -> None:
    elevation, height = raised_drawing.ELEVATION, raised_drawing.HEIGHT
    assert height * cosine(elevation) < 0.7 * GAP * sine(elevation)


def lab(colours: Pixels) -> NDArray[np.float64]:
    """CIE Lab of sRGB colours, shape (..., 3)."""
    v = colours / 255
    linear = np.where(v <= 0.04045, v / 12.92, ((v + 0.055) / 1.055) ** 2.4)
    xyz = linear @ np.array([[0.4124, 0.2126, 0.0193], [0.3576, 0.7152, 0.1192], [0.1805, 0.0722, 0.9505]]) / [0.95047, 1.0, 1.08883]
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.stack([116 * f[..., 1] - 16, 500 * (f[..., 0] - f[..., 1]), 200 * (f[..., 1] - f[..., 2])], -1)


def is_inside(shape: Shape, x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether points are in a shape that is made smaller by about a pixel."""
    if isinstance(shape, Circle):
        return (x - shape.center[0]) ** 2 + (y - shape.center[1]) ** 2 < (shape.radius - 0.004) ** 2
    assert isinstance(shape, Polygon)
    corners = np.array(shape.points)
    middle = corners.mean(0)
    corners = middle + (corners - middle) * (1 - 0.006 / np.linalg.norm(corners - middle, axis=1).min())
    crossings = np.zeros(x.shape, int)
    for (ax, ay), (bx, by) in zip(corners, np.roll(corners, -1, 0), strict=True):
        spans = (ay > y) != (by > y)
        crossings += spans & (x < ax + (y - ay) * (bx - ax) / (by - ay if by != ay else 1))
    return crossings % 2 == 1


@pytest.mark.parametrize("task", RAISED_TASKS)
@pytest.mark.parametrize("level", ["4", "20"])
def test_the_top_of_each_piece_is_whole_where_the_drawing_has_it_with_its_colour(task: str, level: str) -> None:
    """The places of the tops are computed from the drawing and the elevation alone, the colours read from the pixels."""
    item = items.generate(task, n=1, level=level)[0]
    assert item.task.images.raised
    for drawing in item.drawings:
        image = raised_drawing.pixels(drawing, item.size, item.task.images.raised.printed)
        rows, columns = np.mgrid[: image.shape[0], : image.shape[1]]
        scene = raised_drawing.scene(drawing, item.size, item.task.images.raised.printed)
        above = scene.camera.target[1] if isinstance(scene.camera, Camera) else 0.0  # of the tops above the centre of the image
        x = (columns + 0.5 - image.shape[1] / 2) / item.size + drawing.width / 2
        up = (image.shape[0] / 2 - rows - 0.5) / item.size - above * cosine(raised_drawing.ELEVATION)
        y = up / sine(raised_drawing.ELEVATION) + drawing.height / 2
        raised = [
            shape for shape in drawing.shapes if isinstance(shape, (Circle, Polygon)) and shape.fill not in item.task.images.raised.printed
        ]
        fills = sorted({str(shape.fill) for shape in raised} | {drawing.background})
        palette = lab(np.array([[int(fill[i : i + 2], 16) for i in (1, 3, 5)] for fill in fills], np.uint8))
        least = 0.6 if task.endswith(("numbered-shapes", "sort-circles")) else 1.0  # the rest shows the number
        for shape in raised:
            seen = image[is_inside(shape, x, y)]
            nearest = ((lab(seen)[:, None] - palette) ** 2).sum(2).argmin(1)
            assert len(seen) > 5
            assert (nearest == fills.index(str(shape.fill))).mean() >= least, shape


SOLVED_LEVELS = [(name, level) for name in SOLVED for level in ("5", "20")]
SOLVED_LEVELS[SOLVED_LEVELS.index(("counting-shapes", "20"))] = ("counting-shapes", "12")  # of 20, the blur makes small squares round


@pytest.mark.parametrize(("name", "level"), SOLVED_LEVELS)
def test_the_key_follows_from_the_pixels_of_the_scene(name: str, level: str) -> None:
    for item in items.generate(f"perceptv/{name}", n=2, level=level):
        row = item_to_row(item)
        reply = solve_from_pixels(ModelRequest(row.id, item.question.text, rendered(row, "3d")))
        assert item.answer.score(reply).credit == 1


def test_a_shape_without_a_piece_is_an_error() -> None:
    with pytest.raises(ValueError, match="no piece"):
        raised_drawing.scene(Drawing((Circle((0.5, 0.5), 0.1, None, "#000000", 0.01),)), 100)


@pytest.mark.parametrize("turned", [False, True])
def test_a_prism_is_closed_and_its_normals_point_outward(turned: bool) -> None:
    star = tuple((r * x, r * z) for r, x, z in [(1, 0, -1), (0.4, 0.6, -0.6), (1, 1, 0), (0.4, 0.6, 0.6), (1, 0, 1), (1, -1, 0)])
    prism = Prism(star[::-1] if turned else star, 0.5)
    mesh = primitives.mesh(prism)
    corners = mesh.corners.astype(float) * primitives.size(prism)
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert np.allclose(normal.sum(0), 0)
    assert ((normal * mesh.normals[:, 0]).sum(1) > 0).all()
    area = abs(sum(a * d - b * c for (a, b), (c, d) in zip(star, (*star[1:], star[0]), strict=True))) / 2
    assert (corners * normal[:, None]).sum() / 18 == pytest.approx(area * prism.height)  # the divergence theorem


# 3-D scenes in other styles ---------------------------------------------------------------------------------------


DAYLIGHT = Light()


def room(*, light: Light = DAYLIGHT) -> Scene3D:
    return Scene3D(
        (SceneObject(Box((1.0, 1.0, 1.0)), texture=Texture("bricks", 0.3), colour="#ffffff"), SceneObject(Box((0.4, 0.4, 2.6)))),
        Camera((1.5, 2.0, 4.0), (0.0, 0.5, 0.0), width=160, height=120),
        light=light,
        markers=(ObjectMarker(0, "#e6002e"),),
    )


def test_a_line_drawing_has_lines_and_frames_alone_and_no_light() -> None:
    drawn = renderings.pixels(room(), 120, "sketch")
    assert drawn.shape == (120, 160, 3)
    coloured = drawn.max(2).astype(int) - drawn.min(2) > 60
    assert 0.01 < coloured.mean() < 0.1  # the frame
    assert 0.8 < (drawn == 255).all(2).mean() < 0.97
    assert (renderings.pixels(room(light=Light((1.0, 0.4, 0.1), 0.5)), 120, "sketch") == drawn).all()


def test_a_flat_scene_has_no_texture_and_no_shadow() -> None:
    flat, textured = renderings.pixels(room(), 120, "flat"), scene_image.pixels(room(), 120)
    bricks = (slice(49, 63), slice(60, 84))
    assert flat[bricks].std((0, 1)).max() < 1 < 3 < textured[bricks].std((0, 1)).min()
    ground, shadow = (68, 140), (68, 110)
    assert textured[shadow].mean() < textured[ground].mean() - 40
    assert abs(flat[shadow].mean() - flat[ground].mean()) < 5


def test_a_noisy_scene_is_darker_and_has_noise_of_its_own() -> None:
    noisy, clean = renderings.pixels(room(), 120, "noisy"), scene_image.pixels(room(), 120)
    ground = (slice(62, 74), slice(136, 150))
    assert 2 * clean[ground].std() < noisy[ground].std() < 12
    assert noisy[ground].mean() < 0.8 * clean[ground].mean()
    assert (renderings.pixels(room(), 120, "noisy") == noisy).all()
    turned = replace(room(), camera=replace(room().camera, target=(0.1, 0.5, 0.0)))
    assert (renderings.pixels(turned, 120, "noisy")[:8, :8] != noisy[:8, :8]).any()


def test_a_flat_mesh_has_the_mean_of_the_parts_of_its_texture_that_it_shows(tmp_path: Path) -> None:
    """Three quarters of a board show red, one quarter blue, and nothing the white half of the texture."""
    image = np.full((64, 64, 3), 255, np.uint8)
    image[:, :16], image[:, 16:32] = (200, 20, 20), (20, 20, 200)
    Image.fromarray(image).save(tmp_path / "board.png")
    (tmp_path / "board.mtl").write_text("newmtl board\nmap_Kd board.png\n", encoding="utf-8")
    corners = [(x, y) for x in (-1.0, 0.5, 1.0) for y in (0.0, 2.0)]
    places = [(u, v) for u in (0.05, 0.2, 0.3, 0.45) for v in (0.1, 0.9)]
    lines = ["mtllib board.mtl", "usemtl board", *(f"v {x} {y} 0" for x, y in corners), *(f"vt {u} {v}" for u, v in places)]
    lines += ["f 1/1 3/3 4/4", "f 1/1 4/4 2/2", "f 3/5 5/7 6/8", "f 3/5 6/8 4/6"]
    (tmp_path / "board.obj").write_text("\n".join(lines), encoding="utf-8")
    meshes.use_folder(f"flat{tmp_path.name}", tmp_path)
    camera = Camera((0.0, 1.0, 4.0), (0.0, 1.0, 0.0), width=120, height=120)
    board = Scene3D((SceneObject(MeshRef(f"flat{tmp_path.name}:board"), Pose((0.0, 0.0, 0.0))),), camera)
    mean = (0.75 * linear()[[200, 20, 20]] + 0.25 * linear()[[20, 20, 200]]).astype(float)
    same = replace(board, objects=(SceneObject(Box((2.0, 2.0, 0.001)), Pose((0.0, 0.0, 0.0)), colour=hexed(mean)),))
    flat, plain = (renderings.pixels(scene, 120, "flat").astype(int) for scene in (board, same))
    assert np.abs(flat - plain).max() <= 2
    assert flat[60, 40, 0] > flat[60, 40, 2] + 40


def hexed(light: NDArray[np.float64]) -> str:
    return "#" + bytes(encoded(light)).hex()


@pytest.mark.parametrize("name", ["horse-bay", "car-convertible", "cat-siamese"])
def test_a_flat_mesh_is_about_as_light_as_the_textured_one(name: str) -> None:
    """Textures of these meshes have parts of other colours that no surface shows."""
    camera = Camera((3.0, 2.0, 4.5), (0.0, 0.6, 0.0), width=120, height=120)
    scene = Scene3D((SceneObject(MeshRef(name), Pose((0.0, 0.0, 0.0))),), camera, light=Light(shadows=False))
    shown = rasterizer3d.render(scene, 120).solid == 0
    flat, textured = renderings.pixels(scene, 120, "flat")[shown], scene_image.pixels(scene, 120)[shown]
    assert np.abs(flat.mean(0) - textured.mean(0)).max() < 25


def test_a_rendering_that_a_picture_cannot_have_is_an_error() -> None:
    for picture, name in ((room(), "3d"), (Drawing((Line(((0, 0), (1, 1)), 0.1),)), "sketch"), (Drawing(()), "cycles"), (room(), "oil")):
        with pytest.raises(ValueError, match=name):
            renderings.pixels(picture, 100, name)


# Which items have them --------------------------------------------------------------------------------------------


def test_renderings_by_kind_of_picture() -> None:
    assert of_task("cdr/relative-compass-letter") == ("half", "double")
    assert of_task("perceptv/counting-circles") == ("half", "double", "3d")
    assert of_task("perceptv/maze-solving") == ("half", "double")
    assert of_task("dori/view-parallelism") == ("sketch", "flat", "noisy", "cycles", "half", "double")
    assert of_task("photographs-of-someone/cats") == ("half", "double")


def test_half_is_left_out_below_the_least_size_and_line_drawings_where_colours_tell_objects_apart() -> None:
    assert excluded(row_of("perceptv/sort-circles")) == ("half",)
    assert excluded(row_of("perceptv/sort-circles", size=600)) == ()
    assert excluded(row_of("cdr/relative-compass-letter", size=96)) == ("half",)
    row = row_of("cdr/relative-compass-letter")
    for text, names in (("Where is the blue car?", ("sketch",)), ("What does the object in the red frame face?", ()), ("covered", ())):
        asked = replace(row, metadata_json=row.metadata_json.replace(row.metadata.question.splitlines()[0], text))
        assert excluded(asked) == names


# What is sent -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "factor"), [("half", 0.5), ("double", 2)])
def test_another_resolution_is_drawn_and_not_resampled(name: str, factor: float) -> None:
    row = row_of("perceptv/counting-circles", level="9")
    standard, other = trials([row], VariantSettings(renderings=(name,)), "final-line")
    assert (other.variant, other.prompt, other.key) == (f"rendering:{name}", standard.prompt, standard.key)
    assert other.images == rendered(row, name)
    assert canary.unmarked(other.images[0]) != other.images[0]
    shape = decoded(other.images[0]).shape
    assert shape[:2] == tuple(round(side * factor) for side in decoded(standard.images[0]).shape[:2])
    at_size = row_of("perceptv/counting-circles", level="9", size=round(400 * factor))
    assert (decoded(at_size.images[0]) == decoded(other.images[0])).all()


def test_train_items_have_no_canary() -> None:
    (image,) = rendered(row_of("perceptv/counting-circles", split="train"), "3d")
    assert canary.unmarked(image) == image


def test_imported_images_are_resampled() -> None:
    row = replace(row_of("cdr/relative-compass-letter"), task="else/photos", version=0)
    for name, factor in (("half", 0.5), ("double", 2)):
        (image,) = rendered(row, name)
        assert decoded(image).shape[0] == decoded(row.images[0]).shape[0] * factor
    assert [trial.variant for trial in trials([row], VariantSettings(renderings=("sketch", "3d", "half")), "direct")] == [
        "",
        "rendering:half",
    ]


def test_an_item_that_differs_from_its_id_is_refused() -> None:
    row = row_of("cdr/relative-compass-letter")
    other = row_of("cdr/relative-compass-letter", 1)
    for spoilt in (
        replace(row, metadata_json=other.metadata_json),
        replace(row, id=row.id.replace("relative-compass-letter@", "relative-compass-letter@9")),
    ):
        with pytest.raises(UserError, match="remove --rendering"):
            rendered(spoilt, "half")


def test_images_are_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    row = row_of("cdr/relative-compass-letter")
    first = StoredRenderings(tmp_path)(row, "half")
    monkeypatch.setattr("isovist.evaluation.run.renderings.rendered", lambda *_: pytest.fail("made again"))
    assert StoredRenderings(tmp_path)(row, "half") == first


def test_settings_are_joined_and_checked() -> None:
    both = VariantSettings(renderings=("half",)) | VariantSettings(renderings=("3d", "half"))
    assert both.renderings == ("half", "3d")
    assert both.depend_on_item
    assert family("rendering:half") == "rendering:half"
    with pytest.raises(UserError, match=r"Unknown rendering: oil\. Choose from sketch"):
        VariantSettings(renderings=("oil",))
    assert variant_settings(["rendering:half", "no-image"]) == VariantSettings(no_image=True, renderings=("half",))
    with pytest.raises(UserError, match="rendering:3d"):
        variant_settings("rendering:oil")
    with pytest.raises(UserError, match="without effect"):
        require_effect(VariantSettings(renderings=("3d",)), ("", "rendering:half"))


# Runs -------------------------------------------------------------------------------------------------------------


def test_a_run_compares_each_rendering_with_the_standard_images(tmp_path: Path) -> None:
    run = tmp_path / "run"
    command = ("run", "perceptv/counting-circles", "perceptv/sort-circles", "--n", 8, "--model", "simulated/pixel-solver", "--out", run)
    done(*command)
    ended = done(*command, "--rendering", "half", "--rendering", "3d")
    assert "24 evaluated now" in ended.out
    assert Counter((record["item_id"].partition("@")[0], record["variant"]) for record in records(run)) == {
        ("perceptv/counting-circles", ""): 8,
        ("perceptv/counting-circles", "rendering:half"): 8,
        ("perceptv/counting-circles", "rendering:3d"): 8,
        ("perceptv/sort-circles", ""): 8,
        ("perceptv/sort-circles", "rendering:3d"): 8,
    }
    assert "0 evaluated now" in done("run", run / "config.toml").out
    assert "0 changed" in done("rescore", run).out
    done("report", run, "--out", tmp_path / "report")
    lines = {(line["task"], line["variant"]): line for line in csv.DictReader(io.StringIO((tmp_path / "report/variants.csv").read_text()))}
    assert len(lines) == 3
    assert all(line["n"] == "8" for line in lines.values())
    for name in ("rendering:half", "rendering:3d"):
        line = lines["perceptv/counting-circles", name]
        assert (float(line["standard"]), float(line["difference"])) == (1, 0)
        assert float(line["ci_low"]) < 0 < float(line["ci_high"])
    text = (tmp_path / "report" / "report.md").read_text()
    assert "half resolution" in text
    assert "3-D scene of the drawing" in text
    images = list((run / "renderings" / "half").iterdir())
    assert len(images) == 8


def test_several_processes_make_the_images(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One task each, and this process none."""
    command = ("run", *TASKS[:2], "--data", data, "--n", 3, "--model", "simulated/oracle", "--rendering", "half", "--out")
    done(*command, tmp_path / "one")
    monkeypatch.setattr("isovist.evaluation.run.renderings.rendered", lambda *_: pytest.fail("made in this process"))
    done(*command, tmp_path / "two", "--workers", 2)
    one, two = (contents(tmp_path / name / "renderings" / "half") for name in ("one", "two"))
    assert len(one) == 6
    assert two == one
    assert len(records(tmp_path / "two")) == 12


def test_stored_items_from_python_and_the_environment(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: Counter[int] = Counter()

    def model(images: list[Image.Image], prompt: str) -> str:
        del prompt
        sizes.update(image.width for image in images)
        return "A"

    evaluate(model, TASKS[1], data=data, n=4, rendering="double", name="a", out=tmp_path / "a", progress=False)
    (small, _), (large, _) = sorted(sizes.items())
    assert large == 2 * small
    monkeypatch.setenv("ISOVIST_RUN_RENDERING", "half double")
    done("run", TASKS[1], "--data", data, "--limit", 2, "--model", "simulated/random", "--out", tmp_path / "b")
    assert {record["variant"] for record in records(tmp_path / "b")} == {"", "rendering:half", "rendering:double"}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--rendering", "3d"), ("--rendering 3d", "perceptv/counting-circles", "Remove it")),
        (("--rendering", "sketch"), ("--rendering sketch", "no item is a 3-D scene", "Remove it")),
        (("--rendering", "cycles"), ("--rendering cycles", "Remove it")),
        (("--rendering", "oil"), ("oil", "'sketch', 'flat', 'noisy', 'cycles', 'half', 'double', '3d'")),
    ],
)
def test_what_no_item_has_is_refused_before_anything_is_written(tmp_path: Path, options: tuple[str, ...], words: tuple[str, ...]) -> None:
    out = tmp_path / "run"
    refused(isovist("run", "cdr/relative-compass-letter", "--n", 4, "--model", "simulated/random", "--out", out, *options), *words)
    assert not out.exists()


def test_items_of_another_version_are_refused(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    task = registry.task(TASKS[1])
    monkeypatch.setattr(registry, "find", lambda name: replace(task, version=99) if name == TASKS[1] else None)
    out = tmp_path / "run"
    command = ("run", TASKS[1], "--data", data, "--model", "simulated/random", "--out", out)
    refused(isovist(*command, "--rendering", "half"), "cannot be regenerated for --rendering half", TASKS[1])
    assert not out.exists()


def test_show_writes_a_rendering(tmp_path: Path) -> None:
    ended = done("show", "perceptv/counting-circles", "--level", 5, "--rendering", "3d", "--image-dir", tmp_path)
    assert "perceptv-counting-circles-0-3d.png" in ended.out
    assert decoded((tmp_path / "perceptv-counting-circles-0-3d.png").read_bytes()).shape[2] == 3
    refused(isovist("show", "cdr/step-cell-letter", "--rendering", "3d", "--image-dir", tmp_path), "no rendering 3d", "half, double")
    refused(isovist("show", "cdr/step-cell-letter", "--rendering", "half"), "--image-dir")
