"""Puts a whole run into the documents that show one."""

from tests.evals import costs, tasks
from tests.evals.calls import BROWSERS
from tests.evals.run import Run
from tests.evals.sets import MINIWOB


def write(run: Run) -> str:
    """Put a run into its documents. Returns the table.

    Raises ValueError for a run without all that they show.
    """
    if run.setting.tasks == MINIWOB:
        from tests.evals.miniwob import figures

        figures.write(run)
        return figures.markdown(run)
    every = {f"{tool}/{task.name}" for tool in BROWSERS for task in tasks.every()}
    if run.is_partial or not every <= {test.key for test in run.tests}:
        raise ValueError(f"{run.name} is not a whole run: bin/evals run --tool all --write-docs makes one")
    costs.write(run)
    return costs.markdown(costs.costs(run), with_tasks=True)
