"""The files of a report: the page, Markdown, LaTeX, CSV files, figures and the item browser."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from isovist.reporting.analysis.collect import RunResults
from isovist.reporting.reports import item_browser, markdown
from isovist.reporting.reports.figures import export
from isovist.reporting.reports.html import ReportPage, page
from isovist.reporting.reports.report_folder import ReportFolder
from isovist.reporting.reports.section import tables
from isovist.reporting.reports.sections import findings
from isovist.reporting.reports.sections.order import build_sections


def write_report(
    results: Sequence[RunResults],
    folder: ReportFolder,
    *,
    has_item_browser: bool,
    on_tables: Callable[[], object] = lambda: None,
    on_item: Callable[[], object] = lambda: None,
) -> list[str]:
    """Write all files of a report.

    Args:
        results: The runs.
        folder: The report folder; files of an earlier report are replaced.
        has_item_browser: Whether to write the item browser.
        on_tables: Called when all files but the item browser are written.
        on_item: Called for each item of the item browser.

    Returns:
        The names of the page, Markdown, LaTeX and CSV files.

    Raises:
        UserError: The folder has a file of others with one of these names.
    """
    sections = build_sections(results)
    whole = [*findings.sections(results), *sections]
    report = ReportPage(results, sections, export.every(results), has_item_browser)
    filled = tables(whole)
    folder.tables = {name: table.records() for name, table in filled.items()}
    folder.takeaways = {section.title: section.takeaway for section in report.sections if section.takeaway}
    files = {
        "index.html": page(report),
        "report.md": markdown.page(report),
        "report.tex": "\n".join(["% needs \\usepackage{booktabs}", *filter(None, (section.latex() for section in sections))]),
        **{f"{name}.csv": table.csv() for name, table in filled.items()},
    }
    written = files | export.files(report.figures, results)
    folder.check([*written, item_browser.PAGE] if has_item_browser else written, item_browser.FOLDER if has_item_browser else "")
    folder.put(written)
    on_tables()
    items = item_browser.write(results, folder, on_item) if has_item_browser else set[str]()
    folder.drop(items.union(written))
    return list(files)
