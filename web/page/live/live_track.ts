// Live captions as cues of a text track: each is shown at once and gets its real times afterwards.
import type { FormatOptions } from '../../src/writers/options.js';
import { cues } from '../../src/writers/cues.js';
import type { TranscriptSegment } from '../../src/writers/transcript.js';
import { changeCues, escaped } from '../track_pool.js';

/** Seconds that the newest cue stays when nothing follows. */
const hold = 4;

export class LiveTrack {
  readonly #media: HTMLMediaElement;
  readonly #track: TextTrack;
  readonly #format: FormatOptions;
  /** Cues of final utterances. */
  #old: VTTCue[] = [];
  /** Cues of the current utterance. */
  #current: VTTCue[] = [];
  /** The newest cue, which is shown longer than its speech lasts, and when the speech ended. */
  #held: { readonly cue: VTTCue; readonly end: number } | undefined;

  constructor(media: HTMLMediaElement, track: TextTrack, format: FormatOptions) {
    this.#media = media;
    this.#track = track;
    this.#format = format;
  }

  /** Shows an utterance, with times of the media's clock; it replaces the cues of the same utterance. */
  show(utterance: TranscriptSegment, isFinal: boolean): void {
    const wanted = [...cues({ segments: [utterance] }, this.#format)].map(
      ({ start, end, text }) => ({ start: start / 1000, end: end / 1000, text: escaped(text) }),
    );
    const [first, last] = [wanted[0], wanted.at(-1)];
    changeCues(this.#track, () => {
      for (const cue of this.#current.splice(wanted.length)) this.#track.removeCue(cue);
      this.#release();
      if (!first || !last) return;
      this.#clear(first.start, last.end);
      const { end: lastEnd } = last;
      last.end = this.#heldUntil(lastEnd);
      wanted.forEach(({ start, end, text }, at) => {
        const cue = this.#current[at] ?? this.#added(start, end, text);
        this.#current[at] = cue;
        // What stays the same is not touched, so that it does not flicker.
        if (cue.text !== text) cue.text = text;
        if (cue.startTime !== start) cue.startTime = start;
        if (cue.endTime !== end) cue.endTime = end;
      });
      this.#held = { cue: this.#current.at(-1)!, end: lastEnd };
    });
    if (!isFinal) return;
    this.#old.push(...this.#current);
    this.#current = [];
  }

  /** Takes all away. */
  clear(): void {
    changeCues(this.#track, () => {
      for (const cue of [...this.#old, ...this.#current]) this.#track.removeCue(cue);
    });
    this.#old = [];
    this.#current = [];
    this.#held = undefined;
  }

  /** What follows is there: the cue before it gets its own time. One that is shown anew is held anew. */
  #release(): void {
    if (this.#held && !this.#current.includes(this.#held.cue)) {
      this.#held.cue.endTime = this.#held.end;
    }
    this.#held = undefined;
  }

  #added(start: number, end: number, text: string): VTTCue {
    const cue = new VTTCue(start, end, text);
    this.#track.addCue(cue);
    return cue;
  }

  /** Removes old cues where audio is transcribed again. */
  #clear(start: number, end: number): void {
    this.#old = this.#old.filter((cue) => {
      const overlap = Math.min(cue.endTime, end) - Math.max(cue.startTime, start);
      if (overlap <= 0) return true;
      if (2 * overlap < cue.endTime - cue.startTime && cue.startTime < start) {
        cue.endTime = start;
        return true;
      }
      this.#track.removeCue(cue);
      return false;
    });
  }

  /** Text arrives after its speech: the newest cue is shown now, until others are due. */
  #heldUntil(end: number): number {
    const { currentTime, playbackRate } = this.#media;
    const due = this.#old.map(({ startTime }) => startTime).filter((start) => start >= end);
    return Math.max(end, Math.min(currentTime + hold * playbackRate, ...due));
  }
}
