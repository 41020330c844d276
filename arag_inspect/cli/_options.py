"""Models on the command line, tried before anything else is done."""

import click

from .._util.errors import one_line


class Models(click.ParamType[str]):
    """Names of models, several with commas; one that Inspect does not know, or that lacks its key, is refused at once."""

    name = "MODEL"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Try each name."""
        from inspect_ai.model import get_model

        for model in value.split(","):
            try:
                get_model(model.strip())
            except Exception as error:
                self.fail(f"{model!r} cannot be used: {one_line(error)}", param, ctx)
        return value


MODELS = Models()
