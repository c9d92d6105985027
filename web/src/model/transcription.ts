import type { Segment, Transcription, TranscriptionResult } from '../api/types.js';

/** Collects segments as they come; any number of callers may iterate or await, at any time. */
class SegmentFeed {
  readonly segments: Segment[] = [];
  #isOver = false;
  #failure: { readonly error: unknown } | undefined;
  #wake: (() => void)[] = [];

  add(segment: Segment): void {
    this.segments.push(segment);
    this.#wakeAll();
  }

  end(failure?: { readonly error: unknown }): void {
    this.#isOver = true;
    this.#failure = failure;
    this.#wakeAll();
  }

  async *iterate(): AsyncGenerator<Segment> {
    for (let next = 0; ; ++next) {
      while (next >= this.segments.length && !this.#isOver) {
        await new Promise<void>((wake) => this.#wake.push(wake));
      }
      const segment = this.segments[next];
      if (!segment) break;
      yield segment;
    }
    if (this.#failure) throw this.#failure.error;
  }

  #wakeAll(): void {
    for (const wake of this.#wake.splice(0)) wake();
  }
}

/** Starts `work`, which reports segments, and gives the object that is both promise and iterable. */
export function startTranscription(
  work: (
    onSegment: (segment: Segment) => void,
    signal: AbortSignal,
  ) => Promise<TranscriptionResult>,
): Transcription {
  const feed = new SegmentFeed();
  const leaving = new AbortController();
  const result = work((segment) => feed.add(segment), leaving.signal);
  result.then(
    () => feed.end(),
    (error: unknown) => feed.end({ error }),
  );
  const iterate = async function* (): AsyncGenerator<Segment> {
    let isThrough = false;
    try {
      yield* feed.iterate();
      isThrough = true;
    } finally {
      if (!isThrough) leaving.abort();
    }
  };
  return Object.assign(result, { [Symbol.asyncIterator]: iterate });
}
