"""Command groups that suggest the nearest name for a misspelt one."""

from __future__ import annotations

import difflib

import click


class SuggestingGroup(click.Group):
    """A group that reports an unknown command in one line, with the nearest command or all of them."""

    noun = "command"

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        names = self.list_commands(ctx)
        if args and not args[0].startswith("-") and args[0] not in names:
            nearest = difflib.get_close_matches(args[0], names, n=1)
            hint = f"Did you mean {nearest[0]}?" if nearest else f"Choose one of {', '.join(names)}."
            raise click.UsageError(f"Unknown {self.noun}: {args[0]}. {hint}")
        return super().resolve_command(ctx, args)
