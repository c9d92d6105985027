"""Live text from a recogniser of whole recordings: the sound so far is heard again every second, and the words on which two
hypotheses in a row agree are committed. The buffer is cut where a segment ends that is committed, once it is long."""

import numpy as np

RATE = 16000
STEP_SECONDS = 1.0
# Beyond this the buffer is cut.
LONG_SECONDS = 15.0
# What is longer than a window is cut in any case.
LONGEST_SECONDS = 28.0
# Sound that is kept where nothing was heard.
KEPT_SECONDS = 1.0
PROMPT_CHARACTERS = 200
# Words that were committed and come again: at most so many, if they begin about where the committed ones ended.
MOST_REPEATED = 5
NEAR_SECONDS = 1.0


def key(word):
    return "".join(c for c in word["word"].lower() if c.isalnum() or c == "'")


class AgreementLoop:
    def __init__(self, model, vad):
        self.model = model
        self.vad = vad
        self.buffer = np.zeros(0, dtype=np.float32)
        self.offset = 0.0  # of the buffer's beginning
        self.waiting = 0  # samples since the last hypothesis
        self.committed = []  # all words, for the prompt and against repetition
        self.provisional = []

    @property
    def time(self):
        return self.offset + len(self.buffer) / RATE

    def feed(self, samples):
        self.buffer = np.concatenate([self.buffer, samples])
        self.waiting += len(samples)
        if self.waiting < STEP_SECONDS * RATE:
            return []
        self.waiting = 0
        return [self.step()]

    def end(self):
        """What is left is taken as it is."""
        steps = [self.step()] if self.waiting > 0 else []
        rest, self.provisional = self.provisional, []
        self.committed += rest
        return steps + [self.answer(rest, is_trimmed=True)]

    def answer(self, committed, is_trimmed):
        return {
            "time": self.time,
            "committed": committed,
            "provisional": self.provisional,
            "isTrimmed": is_trimmed,
        }

    def step(self):
        words, segment_ends = self.hypothesis()
        words = self.without_repetition(words)
        agreed = 0
        for old, new in zip(self.provisional, words):
            if key(old) != key(new):
                break
            agreed += 1
        if len(self.buffer) > LONGEST_SECONDS * RATE:
            # What is cut away without agreement is taken as it is.
            gone = self.time - LONG_SECONDS
            agreed = max(agreed, sum(word["end"] <= gone for word in words))
        newly = words[:agreed]
        self.committed += newly
        self.provisional = words[agreed:]
        return self.answer(newly, self.trim(segment_ends))

    def prompt(self):
        """What was said before the buffer."""
        text = "".join(word["word"] for word in self.committed if word["end"] <= self.offset)
        return text[-PROMPT_CHARACTERS:]

    def hypothesis(self):
        segments, _ = self.model.transcribe(
            self.buffer,
            language="en",
            beam_size=1,
            word_timestamps=True,
            initial_prompt=self.prompt() or None,
            vad_filter=self.vad,
        )
        words = []
        ends = []
        for segment in segments:
            for word in segment.words:
                words.append(
                    {"word": word.word, "start": self.offset + float(word.start), "end": self.offset + float(word.end)}
                )
            ends.append(self.offset + float(segment.end))
        return words, ends

    def without_repetition(self, words):
        """The hypothesis behind what is committed."""
        if not self.committed:
            return words
        last = self.committed[-1]["end"]
        words = [word for word in words if word["start"] > last - 0.1]
        if words and abs(words[0]["start"] - last) < NEAR_SECONDS:
            for count in range(min(MOST_REPEATED, len(words), len(self.committed)), 0, -1):
                tail = [key(word) for word in self.committed[-count:]]
                if tail == [key(word) for word in words[:count]]:
                    return words[count:]
        return words

    def trim(self, segment_ends):
        """Cuts a long buffer; whether it did."""
        seconds = len(self.buffer) / RATE
        if seconds <= LONG_SECONDS:
            return False
        last = self.committed[-1]["end"] if self.committed else 0.0
        # The last segment may yet change.
        ends = [end for end in segment_ends[:-1] if self.offset < end <= last]
        if ends:
            at = ends[-1]
        elif not self.provisional:
            at = max(self.time - KEPT_SECONDS, min(last, self.time))
        elif seconds > LONGEST_SECONDS:
            at = max(last, self.time - LONG_SECONDS)
        else:
            return False
        count = int((at - self.offset) * RATE)
        self.buffer = self.buffer[count:]
        self.offset += count / RATE
        return True
