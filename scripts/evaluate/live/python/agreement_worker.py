"""A plain live loop around faster-whisper, behind a pipe as answering.py has it: agreement of two hypotheses in a row.

    python agreement_worker.py MODEL_FOLDER

Commands: begin {vad}; feed {samples}; end; offline {samples, vad, language}, in which null detects it. Samples are float32, 16 kHz, base64.
Answers have "seconds" of processor time; feed and end also "steps", as agreement_events.mjs reads them.
"""

import base64
import sys
import time
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[3] / "reference" / "python"))

from answering import serve  # before the packages: they print

import numpy as np
from faster_whisper import WhisperModel

from agreement_loop import AgreementLoop

model = WhisperModel(sys.argv[1], device="cpu", compute_type="int8", cpu_threads=1, num_workers=1)
loop = None


def samples_of(request):
    return np.frombuffer(base64.b64decode(request["samples"]), dtype=np.float32)


def timed(work):
    def answer(request):
        begin = time.process_time()
        answered = work(request)
        return {**answered, "seconds": time.process_time() - begin}

    return answer


def begin(request):
    global loop
    loop = AgreementLoop(model, vad=request["vad"])
    return {}


def offline(request):
    language = request.get("language", "en")
    segments, info = model.transcribe(
        samples_of(request), language=language, beam_size=1, vad_filter=request["vad"], word_timestamps=False
    )
    text = "".join(segment.text for segment in segments)
    return {"text": text, "language": info.language, "probability": info.language_probability}


serve(
    {
        "begin": timed(begin),
        "feed": timed(lambda request: {"steps": loop.feed(samples_of(request))}),
        "end": timed(lambda request: {"steps": loop.end()}),
        "offline": timed(offline),
    }
)
