"""Runs the released april-asr: a line of JSON with a model, sound and how it is fed; then a line with the callbacks.

    python april_worker.py FOLDER_OF_THE_PACKAGE

A question: {"model": path, "audio": path of 16-bit mono samples, "feeding": [["audio", from, to] | ["flush"], ...]}.
"""

import json
import sys

sys.path.insert(0, sys.argv[1])
import april_asr  # noqa: E402


def callbacks(model, samples, feeding):
    heard = []
    marks = []

    def hear(kind, tokens):
        heard.append(
            {
                "type": int(kind),
                "tokens": [token.token for token in tokens],
                "times": [round(1000 * token.time) for token in tokens],
                "flags": [token.word_boundary + 2 * token.sentence_end for token in tokens],
                "scores": [token.logprob for token in tokens],
            }
        )

    session = april_asr.Session(model, hear)
    for step in feeding:
        if step[0] == "flush":
            session.flush()
            marks.append(len(heard))
        elif step[2] > step[1]:
            session.feed_pcm16(samples[2 * step[1] : 2 * step[2]])
    return {"events": heard, "flushes": marks}


models = {}
for line in sys.stdin:
    question = json.loads(line)
    path = question["model"]
    if path not in models:
        models[path] = april_asr.Model(path)
    with open(question["audio"], "rb") as file:
        samples = file.read()
    print(json.dumps(callbacks(models[path], samples, question["feeding"])), flush=True)
