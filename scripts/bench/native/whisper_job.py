"""A recording by native faster-whisper or openai-whisper: the job as JSON in the first argument, the result as JSON on stdout.

job: {engine, model (a folder: of CTranslate2 or of the hub), samples (raw f32, 16 kHz), threads, computeType}
result: {loadMs, firstMs, laterMs, text, memoryMiB}
"""
import json
import os
import resource
import sys
import time
from pathlib import Path

job = json.loads(sys.argv[1])
os.environ["OMP_NUM_THREADS"] = str(job["threads"])

import numpy as np  # noqa: E402  after the number of threads is set


def timed(work):
    start = time.perf_counter()
    result = work()
    return (time.perf_counter() - start) * 1000, result


def open_faster_whisper():
    from faster_whisper import WhisperModel

    model = WhisperModel(
        job["model"], device="cpu", compute_type=job["computeType"], cpu_threads=job["threads"]
    )

    def transcribe(samples):
        segments, _ = model.transcribe(samples, language="en", beam_size=1, best_of=1)
        return "".join(segment.text for segment in segments)

    return transcribe


def open_openai_whisper():
    sys.path.insert(0, str(Path(__file__).parents[2] / "reference/python"))
    import torch
    from model_folders import load_model

    torch.set_num_threads(job["threads"])
    model = load_model(Path(job["model"]))

    def transcribe(samples):
        return model.transcribe(samples, language="en", fp16=False)["text"]

    return transcribe


ENGINES = {"faster-whisper": open_faster_whisper, "openai-whisper": open_openai_whisper}

samples = np.fromfile(job["samples"], dtype=np.float32)
load_ms, transcribe = timed(ENGINES[job["engine"]])
first_ms, text = timed(lambda: transcribe(samples))
later_ms, _ = timed(lambda: transcribe(samples))
print(
    json.dumps(
        {
            "loadMs": load_ms,
            "firstMs": first_ms,
            "laterMs": later_ms,
            "text": text,
            "memoryMiB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        }
    )
)
