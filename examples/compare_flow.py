"""Three systems on ECTSum's test split as an Inspect Flow spec.

Flow asks `uv` which packages are there, and takes paths as relative to this file.

pip install inspect-flow uv
arag-inspect prepare ectsum
flow run examples/compare_flow.py
arag-inspect report logs/ectsum
"""

from inspect_flow import FlowDefaults, FlowModel, FlowOptions, FlowSpec, FlowTask, tasks_matrix

FlowSpec(
    log_dir="../logs/ectsum",
    options=FlowOptions(limit=20),
    defaults=FlowDefaults(
        task=FlowTask(model_roles={"grader": FlowModel(name="anthropic/claude-haiku-4-5")})
    ),
    tasks=tasks_matrix(
        task="arag_inspect/ectsum",
        args=[{"system": system} for system in ("arag", "naive_rag", "stuffing")],
        model=["anthropic/claude-sonnet-4-6"],
    ),
)
