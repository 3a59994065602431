"""The contents of a page: its headings get names to link to, and a list of them stands where the page asks for it."""

from __future__ import annotations

import re
from html import unescape

PLACE = "<!-- contents -->"
"""Where the list is put."""
_HEADING = re.compile(r"<h2( id=\"[^\"]*\")?>(.*?)</h2>", re.DOTALL)
_TAGS = re.compile(r"<[^>]*>")


def with_contents(page: str) -> str:
    """The page with its list. Headings that have a name already, such as those of the tasks, are listed elsewhere and left out."""
    listed: list[tuple[str, str]] = []

    def named(match: re.Match[str]) -> str:
        if match[1]:
            return match[0]
        words = _TAGS.sub("", match[2]).strip()
        name = "on-" + re.sub(r"[^a-z0-9]+", "-", unescape(words).casefold()).strip("-")
        name += f"-{len(listed)}" if name in {other for other, _ in listed} else ""
        listed.append((name, words))
        return f'<h2 id="{name}">{match[2]}</h2>'

    headed = _HEADING.sub(named, page)
    links = "".join(f'<a href="#{name}">{words}</a>' for name, words in listed)
    return headed.replace(PLACE, f'<nav class="toc" id="contents" aria-label="Contents">{links}</nav>')
