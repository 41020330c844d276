#!/usr/bin/env sh
# Three systems on ECTSum's test split with nothing but Inspect: one set a system, as
# `inspect eval-set` gives the same -T to all its tasks, and one folder for the report.
set -e
arag-inspect prepare ectsum
for system in arag naive_rag stuffing; do
    inspect eval-set arag_inspect/ectsum -T system="$system" \
        --model anthropic/claude-sonnet-4-6 --model-role grader=anthropic/claude-haiku-4-5 \
        --limit 20 --log-dir "logs/ectsum/$system"
done
arag-inspect report logs/ectsum
