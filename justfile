# Recipes for work on Isovist: `uv run just RECIPE`.

# all extras but hf, paint and train, which bring torch
run := "uv run --frozen --extra providers --extra audit --extra scene --extra annotate --extra views"

# which torch `just test-hf`, `-paint`, `-train`, `-exports` and `-experiment` install: `just torch=torch==2.14.0 test-hf`
torch := "torch==2.13.0"

# what is possible
default:
    @just --list

# format, lint, types, import rules and retired words; changes nothing
check:
    {{run}} ruff format --check .
    {{run}} ruff check .
    {{run}} pyright
    {{run}} lint-imports
    {{run}} python tools/check_words.py

# mend what can be mended by itself
format:
    {{run}} ruff format .
    {{run}} ruff check --fix .

# the tests; `just test -m slow` runs the slow ones
test *args:
    ./scripts/test {{args}}

# every check of every task, 100 random examples of each property, and the slow tests: takes about an hour
test-full *args:
    ./scripts/test --full -m "slow or not slow" {{args}}

# run all checks of tasks in full and write their certificates; without names, of those that have no valid one
certify *tasks:
    {{run}} python tests/certificates.py {{tasks}}

# the tests of models in this process, in a venv of their own with torch from pip
test-hf:
    python3 -m venv .hf
    .hf/bin/python -m pip install --quiet --disable-pip-version-check '{{torch}}' --editable '.[hf,run]' 'transformers[serving]' hypothesis pytest
    .hf/bin/python -m pytest tests/test_local.py tests/test_local_options.py tests/test_local_batches.py tests/test_transformers_serve.py

# the tests of generated pictures with tiny diffusion models, in a venv of their own with torch from pip
test-paint:
    python3 -m venv .paint
    .paint/bin/python -m pip install --quiet --disable-pip-version-check '{{torch}}' --editable '.[paint,run,annotate]' hypothesis pytest
    .paint/bin/python -m pytest tests/test_text_to_image.py tests/test_text_to_image_rotations.py tests/test_text_to_image_diffusion.py

# the tests of training with tiny models, in a venv of their own with torch from pip
test-train:
    python3 -m venv .train
    .train/bin/python -m pip install --quiet --disable-pip-version-check '{{torch}}' --editable '.[train,run]' hypothesis pytest
    .train/bin/python -m pytest tests/test_training.py tests/test_training_compared.py tests/test_training_runs.py tests/test_example_stream.py tests/test_notebooks.py

# the tests of exports by the tools that load them, in a venv of their own with torch from pip
test-exports:
    python3 -m venv .exports
    .exports/bin/python -m pip install --quiet --disable-pip-version-check '{{torch}}'
    .exports/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --requirement tests/with_tools/requirements.txt --editable .
    .exports/bin/python -m pytest tests/test_exports_tools.py tests/test_predictions.py

# the tests of the environments for verifiers and OpenEnv, in a venv of their own
test-environments:
    python3 -m venv .environments
    .environments/bin/python -m pip install --quiet --disable-pip-version-check verifiers==0.4.0 openenv-core==0.3.0 --editable . hypothesis pytest
    .environments/bin/python -m pytest tests/test_verifiers.py tests/test_openenv.py

# the tests of exported results with the validator of Every Eval Ever, in a venv of their own; needs Python 3.12
test-result-exports:
    python3 -m venv .results
    .results/bin/python -m pip install --quiet --disable-pip-version-check every-eval-ever==0.3.0 pyyaml --editable '.[run]' hypothesis pytest
    .results/bin/python -m pytest tests/test_result_exports.py

# the tests of logging with the clients of W&B and MLflow, in a venv of their own
test-tracking:
    python3 -m venv .tracking
    .tracking/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[wandb,mlflow]' hypothesis pytest
    .tracking/bin/python -m pytest tests/test_tracking.py

# the tests on simulated Ray clusters, in a venv of their own
test-ray:
    python3 -m venv .ray
    .ray/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[ray]' hypothesis pytest
    .ray/bin/python -m pytest -m "slow or not slow" tests/test_ray.py tests/test_ray_vllm.py

# the experiment of teaching a small model at the size of a fixture, in a venv of its own with torch from pip
test-experiment:
    python3 -m venv .experiment
    .experiment/bin/python -m pip install --quiet --disable-pip-version-check '{{torch}}' --editable '.[run]' 'matplotlib>=3.10' hypothesis pytest
    .experiment/bin/python -m pytest tests/test_experiment.py tests/test_embedded.py

# the experiment itself, for hours; stopped and started again it goes on (see experiments/cdr_finetuning/README.md)
experiment *args:
    .experiment/bin/python experiments/cdr_finetuning/run_all.py --out out/cdr_finetuning {{args}}

# every page with axe-core, light and dark (needs Chromium, and npm, which fetches axe-core)
a11y *args:
    {{run}} python tools/check_accessibility.py {{args}}

# a page of every task, in gallery/
gallery:
    {{run}} isovist gallery --out gallery

# the reference submissions checked again, and the leaderboard of them in out/leaderboard; minutes, for the items
leaderboard:
    {{run}} isovist release generate isovist-2026.12 --out out/isovist-2026.12
    for file in leaderboard/*.zip; do {{run}} isovist submit check "$file" --data out/isovist-2026.12 --out out/submissions || exit 1; done
    {{run}} isovist leaderboard --from out/submissions --out out/leaderboard

# the benchmarks; numbers and ratios, no verdict
bench:
    {{run}} python benchmarks/generation.py
    {{run}} python benchmarks/mixing.py
    {{run}} python benchmarks/scoring.py
    {{run}} python benchmarks/extraction.py
    {{run}} python benchmarks/running.py
    {{run}} python benchmarks/mental_rotation.py
    {{run}} python benchmarks/scenes.py
    {{run}} python benchmarks/studying.py
    {{run}} python benchmarks/item_page.py

# how many items adaptive runs need on simulated models, and the bound that no choice can beat; minutes
bench-adaptive *args:
    {{run}} python benchmarks/adaptive.py {{args}}
    {{run}} python benchmarks/adaptive_bound.py

# fingerprints of items, after a task's version was raised
golden:
    {{run}} python tests/test_golden.py

# help, tables, keys and a dataset as users see them, after a change that they shall see
snapshot:
    {{run}} python tests/test_snapshot.py

# lines and statements of each package
lines:
    {{run}} python tools/house.py lines

# what tools/house.py measures: lines, imports, tasks, options, fragments; by default all
house *args:
    {{run}} python tools/house.py {{args}}

# the documentation with the gallery, in site/; runs the notebooks, and fails at a broken link between pages
docs:
    {{run}} isovist gallery --out docs/gallery
    {{run}} --group docs python tools/build_docs.py

# the icons and the font from their packages (needs npm)
assets:
    uv run tools/build_assets.py

# the meshes, skies and textures (needs apt-get on Debian bookworm, and dpkg-deb); look at the sheets afterwards
stage-assets:
    uv run tools/build_textures.py
    uv run tools/build_skies.py
    uv run tools/build_meshes.py
    uv run tools/build_furniture_meshes.py
    uv run tools/mesh_sheet.py out/meshes
