"""The released april-asr behind a pipe, as answering.py has it.

    python april_worker.py FOLDER_OF_THE_PACKAGE

Command: run {model, audio, feeding}; audio is a path of 16-bit mono samples, feeding a list of ["audio", from, to]
and ["flush"]. The answer has the callbacks as "events", and how many had come after each flush as "flushes".
"""

import sys
from pathlib import Path

from answering import serve  # before the package: it prints

sys.path.insert(0, sys.argv[1])
import april_asr

models = {}


def model_of(path):
    if path not in models:
        models[path] = april_asr.Model(path)
    return models[path]


def run(request):
    samples = Path(request["audio"]).read_bytes()
    events = []
    flushes = []

    def hear(kind, tokens):
        events.append(
            {
                "type": int(kind),
                "tokens": [token.token for token in tokens],
                "times": [round(1000 * token.time) for token in tokens],
                "flags": [token.word_boundary + 2 * token.sentence_end for token in tokens],
                "scores": [token.logprob for token in tokens],
            }
        )

    session = april_asr.Session(model_of(request["model"]), hear)
    for step in request["feeding"]:
        if step[0] == "flush":
            session.flush()
            flushes.append(len(events))
        elif step[2] > step[1]:
            session.feed_pcm16(samples[2 * step[1] : 2 * step[2]])
    return {"events": events, "flushes": flushes}


serve({"run": run})
