// Maps the time of a stream to the time of its media element; they differ because of seeking, pausing and speed.

/** The mapping from here to the next mark. */
interface Mark {
  /** Seconds of the stream, and of the media. */
  readonly stream: number;
  readonly media: number;
  readonly speed: number;
}

/** Jitter of a media element's own clock, in seconds, that does not start a new mark. */
const tolerance = 0.3;
/** No utterance spans more marks. */
const mostMarks = 1000;

export class MediaClock {
  readonly #marks: Mark[] = [];
  #isBroken = true;

  /** Records that the stream's time `stream` is `media` in the element. */
  note(stream: number, media: number, speed: number): void {
    const last = this.#marks.at(-1);
    const expected = last && last.media + (stream - last.stream) * last.speed;
    const holds =
      !this.#isBroken &&
      last?.speed === speed &&
      expected !== undefined &&
      Math.abs(expected - media) <= tolerance;
    this.#isBroken = false;
    if (holds) return;
    this.#marks.push({ stream, media, speed });
    if (this.#marks.length > mostMarks) this.#marks.shift();
  }

  /** The next samples come from another position. */
  interrupt(): void {
    this.#isBroken = true;
  }

  mediaTime(stream: number): number {
    const mark = this.#marks.findLast((each) => each.stream <= stream) ?? this.#marks[0];
    return mark ? Math.max(0, mark.media + (stream - mark.stream) * mark.speed) : stream;
  }
}
