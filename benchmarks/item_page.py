"""The page of every item at 20,000 items: what it weighs, and how long a reader waits for it in headless Chromium.

python benchmarks/item_page.py              # makes a run and its report, then opens the page five times
python benchmarks/item_page.py --n 2000     # fewer items

The clock is the page's own (`performance.now`), from the start of the navigation, or from the event that a press of a key or a choice
causes, until the page has painted what follows. Each opening is that of a new browser with an empty profile; the files may be in
the disk cache of the system. Needs Chromium.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))  # the driver of Chromium is that of the tests

import browser
import driven

TASK = "cdr/relative-spatial-letter"
READY = "document.body.dataset.ready === 'yes'"
SHOWN = "document.querySelector('#item img')?.complete"  # the first item with its picture

# Resolves when the frame after the one that draws a change has begun: then the change has been painted.
PAINTED = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now()))))"

FILTER = f"""(async () => {{
  const label = [...document.querySelectorAll('#filters label')].find((it) => it.textContent.startsWith('Outcome'));
  const select = label.querySelector('select');
  const start = performance.now();
  select.value = [...select.options].find((it) => it.text.startsWith(WORD)).value;
  select.dispatchEvent(new Event('change'));
  return (await {PAINTED}) - start;
}})()"""

# A search reads what it needs from the disk: the list is drawn again once the count no longer says "reading".
SEARCH = """(async () => {
  const start = performance.now();
  const count = document.getElementById('count');
  const told = new Promise((done) => new MutationObserver(() => {
    if (!count.textContent.startsWith('reading')) done();
  }).observe(count, { childList: true, characterData: true, subtree: true }));
  const field = document.getElementById('search');
  field.value = WORD;
  field.dispatchEvent(new Event('input'));
  await told;
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  return performance.now() - start;
})()"""

# 200 steps down the whole list, one a frame: the longest frame is what a reader feels as a jerk.
SCROLL = """(async () => {
  const list = document.getElementById('list');
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  const all = [];
  let last = await frame();
  for (let step = 1; step <= 200; step += 1) {
    list.scrollTop = (step / 200) * (list.scrollHeight - list.clientHeight);
    const now = await frame();
    all.push(now - last);
    last = now;
  }
  all.sort((a, b) => a - b);
  return [all[100], all[189], all[199]];
})()"""

# The last item at once, with what is said about it.
END = f"""(async () => {{
  const start = performance.now();
  const before = document.querySelector('#item .id').textContent;
  document.dispatchEvent(new KeyboardEvent('keydown', {{ key: 'End' }}));
  while (document.querySelector('#item .id').textContent === before) await new Promise((done) => requestAnimationFrame(done));
  return (await {PAINTED}) - start;
}})()"""


def word(code: str, text: str) -> str:
    return code.replace("WORD", repr(text))


def once(page_path: Path, home: Path) -> dict[str, float]:
    """What one reader waits for, in milliseconds, and the memory of the page's data in MB."""
    with driven.opened(home, (1400, 900)) as page:
        page.open(page_path.as_uri())
        page.until(READY)
        measurements = {
            "listed": page.js(f"(async () => {{ while (!({SHOWN})) await new Promise(requestAnimationFrame); return await {PAINTED}; }})()")
        }
        measurements["first paint"] = page.js("performance.getEntriesByName('first-contentful-paint')[0].startTime")
        measurements["first filter"] = page.js(word(FILTER, "correct"))
        measurements["next filter"] = page.js(word(FILTER, "all"))
        measurements["scroll, median frame"], measurements["scroll, 95 of 100 frames"], measurements["scroll, longest frame"] = page.js(
            SCROLL
        )
        measurements["last item"] = page.js(END)
        measurements["first search"] = page.js(word(SEARCH, "northeast"))
        measurements["next search"] = page.js(word(SEARCH, "from h to"))
        page.send("HeapProfiler.collectGarbage")
        measurements["memory, MB"] = page.js("performance.memory.usedJSHeapSize") / 1e6
        assert page.console == [], page.console
        return measurements


def made(home: Path, n: int) -> Path:
    """A report on a run of so many items."""
    isovist = [sys.executable, "-m", "isovist"]
    for words in (
        ["run", TASK, "--model", "simulated/random", "--n", str(n), "--no-confirm", "--out", str(home / "run")],
        ["report", str(home / "run"), "--item-browser", "--out", str(home / "report")],
    ):
        start = time.perf_counter()
        subprocess.run([*isovist, *words], check=True, stdout=subprocess.DEVNULL)
        print(f"isovist {words[0]}: {time.perf_counter() - start:.1f} s")
    return home / "report"


def weighed(report: Path) -> None:
    data = [*(report / "items").glob("*.js"), report / "items.html", report / "items" / "page.css"]
    images = [path for path in (report / "items" / "images").rglob("*") if path.is_file()]
    for name, paths in (("index.html", [report / "index.html"]), ("items.html and its data", data), ("images", images)):
        print(f"{name:<28}{sum(path.stat().st_size for path in paths) / 1e6:>9.1f} MB{len(paths):>8,} files")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--n", type=int, default=20_000)
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--report", type=Path, help="a report that is there already")
    args = parser.parse_args()
    if browser.FOUND is None:
        sys.exit("needs Chromium")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        home = Path(folder)
        report = args.report or made(home, args.n)
        weighed(report)
        all_found = [once((report / "items.html").resolve(), home / f"profile-{nth}") for nth in range(args.times)]
    for name in all_found[0]:
        values = [measurements[name] for measurements in all_found]
        print(
            f"{name:<28}{min(values):>9.0f}{median(values):>9.0f}{max(values):>9.0f}   least, median, most{'' if 'MB' in name else ' ms'}"
        )


if __name__ == "__main__":
    main()
