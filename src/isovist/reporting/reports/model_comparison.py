"""A comparison of models with its sentences, tables and page, each computed once."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

from markupsafe import Markup

from isovist.data.notebook import table_html
from isovist.reporting.analysis.text_format import join_names
from isovist.reporting.reports import compare_page, compare_tables
from isovist.reporting.reports.compare import Comparison
from isovist.reporting.reports.report_folder import ReportFolder
from isovist.reporting.reports.table import Table


class ModelComparison:
    """Models compared on the same items with paired significance tests, see `isovist.compare`.

    Attributes:
        names: The models.
    """

    def __init__(self, comparison: Comparison) -> None:
        self._comparison = comparison
        self.names = comparison.names

    @cached_property
    def sentences(self) -> list[str]:
        """What precedes the tables: models with many unparsed responses, and the result over all tasks."""
        unparsed = [f"{name}: {sentence}" for name, sentence in compare_tables.unparsed_first(self._comparison)]
        return [*unparsed, *filter(None, [compare_tables.headline(self._comparison)])]

    @cached_property
    def facts(self) -> list[str]:
        """The number of items, and what restricts the comparison: excluded items, different settings."""
        return compare_tables.facts(self._comparison)

    @cached_property
    def models(self) -> Table:
        """A row for each model on each task: accuracy with its 95% CI as shares of 1, and the compact letter display."""
        return compare_tables.models_table(self._comparison)

    @cached_property
    def pairs(self) -> Table:
        """A row for each pair of models on each task: the paired difference with its 95% CI, test and Holm-adjusted p-value."""
        return compare_tables.pairs_table(self._comparison)

    @cached_property
    def tables(self) -> Mapping[str, Table]:
        """The tables that `isovist compare` prints, by heading."""
        return dict(compare_tables.tables(self._comparison, self.pairs))

    def records(self) -> dict[str, list[dict[str, object]]]:
        """The tables as JSON objects."""
        return {"models": self.models.records(), "pairs": self.pairs.records()}

    def summary(self) -> str:
        """The comparison as Markdown."""
        return compare_tables.to_markdown(self._comparison, self.tables)

    @cached_property
    def files(self) -> Mapping[str, str]:
        """The files of the report by name."""
        files = {
            "index.html": compare_page.page(self._comparison, self.tables),
            "compare.md": self.summary(),
            "models.csv": self.models.csv(),
            "pairs.csv": self.pairs.csv(),
            "accuracy.svg": compare_page.figure(self._comparison),
        }
        return files if len(self.names) != 2 else files | {"differences.svg": compare_page.differences(self._comparison)}

    def report(self, path: str | Path) -> Path:
        """Write the page and tables of `isovist compare --out` to a folder; returns the path of the page.

        Raises:
            UserError: The folder has files of others.
        """
        ReportFolder(Path(path)).fill(self.files, self.records())
        return Path(path) / "index.html"

    def _repr_html_(self) -> str:
        """For notebooks: sentences and tables."""
        lines = Markup().join(map(Markup("<p>{}</p>").format, (*self.sentences, *self.facts)))
        tables = (Markup("<h4>{}</h4>{}").format(heading, table_html(table.heads, table.texts)) for heading, table in self.tables.items())
        return lines + Markup().join(tables)

    def __repr__(self) -> str:
        return f"<Comparison of {join_names(self.names)}>"
