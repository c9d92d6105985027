"""Transcribes recordings on Ray's workers and prints one table: file, worker, seconds, text.

    .venv/bin/python main.py base talk.mp3 call.wav ...
"""

import csv
import os
import subprocess
import sys
import time

import ray

model, *recordings = sys.argv[1:]


@ray.remote(num_cpus=1)
class Worker:
    """Runs one recording at a time; susurrus decodes it with one thread."""

    def transcribe(self, recording):
        begun = time.monotonic()
        command = ["npx", "susurrus", "transcribe", recording, "--model", model, "--threads", "1"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        # An error is a row too: the other recordings go on.
        text = done.stdout.replace("\n", " ").strip() if done.returncode == 0 else done.stderr.strip()
        return [recording, os.getpid(), round(time.monotonic() - begun, 1), text]


# Without an address Ray starts on this machine; ray.init(address="auto") joins a cluster.
ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
workers = ray.util.ActorPool([Worker.remote() for _ in range(2)])
table = csv.writer(sys.stdout, lineterminator="\n")
table.writerow(["file", "worker", "seconds", "text"])
for row in workers.map(lambda worker, recording: worker.transcribe.remote(recording), recordings):
    table.writerow(row)
