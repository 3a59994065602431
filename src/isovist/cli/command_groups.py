"""Groups of commands that name what is near to a misspelt one."""

from __future__ import annotations

import difflib

import click


class SuggestingGroup(click.Group):
    """A group that tells an unknown command in one line, with the nearest one or all there are."""

    what = "command"

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        known = self.list_commands(ctx)
        if args and not args[0].startswith("-") and args[0] not in known:
            near = difflib.get_close_matches(args[0], known, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(known)}."
            raise click.UsageError(f"no {self.what} is called {args[0]!r}; {hint}")
        return super().resolve_command(ctx, args)
