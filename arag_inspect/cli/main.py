"""`arag-inspect` on the command line."""

import errno

import click

from .._util.encodable import write_anything
from .._util.errors import InputError, one_line
from ._prepare_advisor import prepare_advisor
from ._prepare_filings import add_filings
from ._prepare_question_sets import add_sets, export
from .facts import facts
from .meta_eval import meta_evaluate
from .prepare import prepare
from .report import rejudge, report, run
from .serve_local import serve_local


class _Commands(click.Group):
    """Commands that tell in one line what the system, or its locale, refuses them."""

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except OSError as error:
            if error.errno == errno.EPIPE:  # whoever read the output has enough: click ends quietly
                raise
            cause = error.strerror or one_line(error)
            raise InputError(f"{error.filename}: {cause}" if error.filename else cause) from error
        except UnicodeEncodeError as error:
            shown = ascii(error.object[-60:])
            raise InputError(f"{shown} cannot be encoded; set LC_ALL=C.UTF-8") from error


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="arag-inspect")
def main() -> None:
    """Benchmark retrieval systems that summarise long financial documents, on Inspect AI."""
    write_anything()


main.add_command(prepare)
main.add_command(export)
main.add_command(meta_evaluate)
main.add_command(serve_local)
main.add_command(run)
main.add_command(rejudge)
main.add_command(report)
main.add_command(facts)
add_sets(prepare)
prepare.add_command(prepare_advisor)
add_filings(main, prepare)


@main.command()
@click.option("--documents", type=click.IntRange(min=4), default=24, show_default=True)
@click.option("--limit", type=click.IntRange(min=1), default=12, show_default=True)
@click.option("--log-dir", default="logs/demo", show_default=True)
def demo(documents: int, limit: int, log_dir: str) -> None:
    """Compare the three systems on a small synthetic corpus, offline and without a key."""
    from ..workflows.demo import run_demo

    run_demo(documents=documents, limit=limit, log_dir=log_dir)


if __name__ == "__main__":
    main()
