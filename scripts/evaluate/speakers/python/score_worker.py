"""pyannote.metrics behind a pipe.

Command: score {truth, found, from, to, collar}; turns are {start, end, speaker}, times in seconds. The answer has the seconds of truth in
which somebody speaks, `total`, and of those `missed`, `false` and `confused`; `names`: found speaker to true one.
"""

import sys
import warnings
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[3] / "reference" / "python"))

from answering import serve

warnings.filterwarnings("ignore")
from pyannote.core import Annotation, Segment, Timeline
from pyannote.metrics.diarization import DiarizationErrorRate


def annotation(turns):
    found = Annotation()
    for i, turn in enumerate(turns):
        found[Segment(turn["start"], turn["end"]), i] = turn["speaker"]
    return found


def score(request):
    truth, found = annotation(request["truth"]), annotation(request["found"])
    extent = Timeline([Segment(request["from"], request["to"])])
    metric = DiarizationErrorRate(collar=request["collar"], skip_overlap=False)
    parts = metric(truth, found, uem=extent, detailed=True)
    return {
        "total": parts["total"],
        "missed": parts["missed detection"],
        "false": parts["false alarm"],
        "confused": parts["confusion"],
        "names": metric.optimal_mapping(truth, found, uem=extent),
    }


serve({"score": score})
