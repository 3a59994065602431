"""Check every page with axe-core in headless Chromium; exit code 1 for serious or critical findings.

python tools/check_accessibility.py                     # make the pages, then check them
python tools/check_accessibility.py --pages FOLDER      # the same, and keep the pages there

Pages: report, item browser, comparison, leaderboard, gallery, study (participant and administrator) and annotation; each light and dark,
and at the width of a phone. Folded parts are opened. Needs Chromium, and npm, which fetches axe-core (MPL-2.0; not part of this
repository).
"""

from __future__ import annotations

import argparse
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))  # the driver of Chromium is that of the tests

import browser
import driven

AXE = "axe-core@4.14.1"
FAILING = ("serious", "critical")
MODES = (("light", 1280), ("dark", 1280), ("light", 390))
TASKS = "cdr/*"
MODELS = ("simulated/pixel-solver", "simulated/random")
_RUN = "axe.run(document, {resultTypes: ['violations']}).then((found) => found.violations.map((it) => ({id: it.id, impact: it.impact, \
help: it.help, nodes: it.nodes.map((node) => [node.target.join(' '), node.any.concat(node.all).map((check) => check.message).join(' ')])})))"


@dataclass(frozen=True)
class Stop:
    """A page in one state: an address to open, or None to go on from the state before, and what a person does there."""

    name: str
    url: str | None
    act: Callable[[driven.Page], object]


def isovist(*words: object) -> None:
    subprocess.run([sys.executable, "-m", "isovist", *map(str, words)], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def axe(folder: Path) -> str:
    """The script of axe-core, fetched by npm."""
    npm = shutil.which("npm")
    if npm is None:
        sys.exit("npm is missing; it fetches axe-core.")
    subprocess.run([npm, "pack", AXE, "--silent"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    (archive,) = folder.glob("axe-core-*.tgz")
    with tarfile.open(archive) as package:
        script = package.extractfile("package/axe.min.js")
        assert script is not None
        return script.read().decode()


def make(folder: Path) -> None:
    """The files of the static pages, and the data of the others."""
    isovist("generate", TASKS, "--n", 16, "--out", folder / "data")
    runs = [folder / model.partition("/")[2] for model in MODELS]
    for model, run in zip(MODELS, runs, strict=True):
        isovist("run", "--data", folder / "data", "--model", model, "--out", run)
    isovist("report", *runs, "--out", folder / "report")
    isovist("report", runs[1], "--out", folder / "report-of-one")
    isovist("compare", *runs, "--out", folder / "comparison")
    isovist("leaderboard", *runs, "--out", folder / "leaderboard")
    isovist("gallery", TASKS, "--samples", 2, "--out", folder / "gallery")


@contextmanager
def serving(folder: Path, name: str, *words: object) -> Generator[str]:
    """A server of this package at work; yields what it printed."""
    log = folder / f"{name}.log"
    with log.open("w") as out:
        process = subprocess.Popen(
            [sys.executable, "-u", "-m", "isovist", *map(str, words), "--port", "0"], stdout=out, stderr=subprocess.STDOUT
        )
    try:
        end = time.monotonic() + 120
        while not re.search(r"http://\S+", log.read_text()):
            if process.poll() is not None or time.monotonic() > end:
                sys.exit(f"isovist {words[0]} does not serve: {log.read_text()}")
            time.sleep(0.1)
        time.sleep(0.3)  # the rest of what it prints
        yield log.read_text()
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(30)


def _static(page: driven.Page) -> None:
    page.until("document.readyState === 'complete'")
    page.js("document.querySelectorAll('details').forEach((it) => { it.open = true; })")


def _items(page: driven.Page) -> None:
    page.until("document.body.dataset.ready === 'yes' && !!document.querySelector('.results')")
    _static(page)


def _enter(page: driven.Page, words: str) -> None:
    """Presses Enter and waits for a state of the page."""
    page.press("Enter")
    page.until(words)


def _feedback(page: driven.Page) -> None:
    time.sleep(0.4)  # the page ignores presses before a person could have seen the question
    page.js("document.querySelector('.choices button, .words button').click()")
    page.until("!!document.getElementById('feedback')")


def stops(folder: Path, study: str, annotation: str) -> Sequence[Stop]:
    admin = re.findall(r"http://\S+/admin#\S+", study)[0]
    card = re.findall(r"http://[^\s#]+/", annotation)[0]
    ready = "document.getElementById('main').dataset.ready"
    files = {name: (folder / name / "index.html").as_uri() for name in ("report", "report-of-one", "comparison", "leaderboard", "gallery")}
    items = (folder / "report" / "items.html").as_uri()
    pair = "#run=simulated%2Frandom&with=simulated%2Fpixel-solver"
    return (
        *(Stop(name, url, _static) for name, url in files.items()),
        Stop("items", items, _items),
        Stop("items, two runs", f"{items}{pair}", _items),
        Stop("study: start", admin.partition("admin#")[0], lambda page: page.until("document.activeElement.id === 'code'")),
        Stop("study: code", None, lambda page: _enter(page, "!!document.getElementById('made')")),
        Stop("study: first words", None, lambda page: _enter(page, "!document.getElementById('made') && !!state.go")),
        Stop("study: question", None, lambda page: _enter(page, ready)),
        Stop("study: feedback", None, _feedback),
        Stop("study: administrator", admin, lambda page: page.until("!!document.getElementById('top')")),
        Stop("annotation: start", card, lambda page: page.until("document.activeElement.id === 'name'")),
        Stop("annotation: item", f"{card}#Ada", lambda page: page.until("!!document.querySelector('.choices button')")),
    )


def check(page: driven.Page, stop: Stop, script: str) -> list[dict[str, Any]]:
    if stop.url is not None:
        page.open(stop.url)
    stop.act(page)
    time.sleep(0.2)
    page.js(script)
    return page.js(_RUN)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=Path, help="folder for the pages, kept; an existing one is checked again")
    arguments = parser.parse_args()
    if browser.FOUND is None:
        sys.exit("Chromium is missing.")
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as temporary:
        home = Path(temporary)
        folder: Path = arguments.pages or home / "pages"
        if not (folder / "gallery").exists():
            folder.mkdir(parents=True, exist_ok=True)
            make(folder)
        script = axe(home)
        study = ("study", "serve", folder / "data", "--tasks", "cdr/relative-*", "--per-task", 3, "--practice", 1, "--out", home / "study")
        annotation = ("annotate", folder / "data", "--n", 3, "--answers", home / "answers.sqlite")
        with serving(home, "study", *study) as said, serving(home, "annotation", *annotation) as also_said:
            for scheme, width in MODES:
                with driven.opened(home / f"{scheme}-{width}", (width, 900)) as page:
                    page.send("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
                    page.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
                    for stop in stops(folder, said, also_said):
                        findings = check(page, stop, script)
                        for finding in findings:
                            counts[finding["impact"]] += 1
                            print(
                                f"{finding['impact']}: {stop.name}, {scheme}, {width} px: {finding['id']} ({len(finding['nodes'])}): {finding['help']}"
                            )
                            if finding["impact"] in FAILING:
                                for target, message in finding["nodes"][:4]:
                                    print(f"    {target}: {message}"[:300])
    n_pages = len(MODES) * len(stops(folder, said, also_said))
    print(f"{n_pages} checks; " + (", ".join(f"{n} {impact}" for impact, n in sorted(counts.items())) or "no findings"))
    return int(any(counts[impact] for impact in FAILING))


if __name__ == "__main__":
    sys.exit(main())
