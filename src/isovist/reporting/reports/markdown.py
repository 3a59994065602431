"""The report as Markdown: the statements of its first screen, and the takeaways and tables of its sections in the order of the page."""

from __future__ import annotations

from isovist.reporting.reports.html import ReportPage
from isovist.reporting.reports.sections import findings


def page(report: ReportPage) -> str:
    """Sections without a takeaway or a table are left out."""
    parts = [f"# {report.title}", *([f"Release: {report.release}"] if report.release else []), *report.caveats]
    several = len(report.runs) > 1
    parts += [
        f"{headline.run}: {headline.unparsed}" if several else headline.unparsed for headline in report.headlines if headline.unparsed
    ]
    for section in report.first_sections:
        parts += [f"## {section.title}", section.markdown()]
    for headline in report.headlines:
        parts += [f"## {headline.run}"] if several else []
        parts += [text for text in (headline.overall if several else "", headline.no_findings, headline.by_task) if text]
    (significant,) = findings.sections(report.runs)
    for title, sections in [(significant.title, [significant]), *report.parts.items()]:
        texts = [(section.title, section.markdown()) for section in sections]
        parts += [f"## {title}"] if any(text for _, text in texts) else []
        for name, text in texts:
            if text:
                parts += [text] if name == title else [f"### {name}", text]
    return "\n\n".join(parts) + "\n"
