"""A reference package behind a pipe: one JSON object on each line, an answer for each.

An answer has "ok"; without it, "error" with "kind" and "message". Import this before the package.
"""

import json
import math
import os
import sys

# What a package prints is not ours to answer with.
answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
os.dup2(2, 1)


def plain(value):
    """For JSON: numpy's numbers as Python's, and what JSON lacks as a string that JavaScript's Number() reads."""
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if hasattr(value, "item"):  # a number of numpy
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value


def answer(commands, request):
    try:
        return {"ok": True, **plain(commands[request["command"]](request))}
    except Exception as error:  # what the reference refuses is an answer too
        return {"ok": False, "error": {"kind": type(error).__name__, "message": str(error)}}


def serve(commands):
    """Answers each request with the command of its name, until the pipe ends."""
    for line in sys.stdin:
        print(json.dumps(answer(commands, json.loads(line)), allow_nan=False), file=answers, flush=True)
