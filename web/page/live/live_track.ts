// Live captions as cues of a text track: each is shown at once and gets its real times afterwards.
import type { FormatOptions } from '../../src/writers/options.js';
import { cues } from '../../src/writers/cues.js';
import type { TranscriptSegment } from '../../src/writers/transcript.js';
import { changeCues, escaped } from '../track_pool.js';

/** Seconds that the newest cue stays when nothing follows. */
const hold = 4;

/** A cue to be. */
interface Wanted {
  start: number;
  end: number;
  readonly text: string;
}

export class LiveTrack {
  readonly #media: HTMLMediaElement;
  readonly #track: TextTrack;
  readonly #format: FormatOptions;
  /** Cues of final utterances. */
  #old: VTTCue[] = [];
  /** Cues of the current utterance. */
  #current: VTTCue[] = [];
  /** Cues of final utterances that may be revised, by id: those that were shown, also if they are gone. */
  readonly #finals = new Map<number, readonly VTTCue[]>();
  /** The newest cue, which is shown longer than its speech lasts, and when the speech ended. */
  #held: { readonly cue: VTTCue; readonly end: number } | undefined;

  constructor(media: HTMLMediaElement, track: TextTrack, format: FormatOptions) {
    this.#media = media;
    this.#track = track;
    this.#format = format;
  }

  /**
   * Shows an utterance, with times of the media's clock; it replaces the cues of the same utterance. `finalId` is the id of one that is
   * final.
   */
  show(utterance: TranscriptSegment, finalId: number | undefined): void {
    const wanted = this.#wanted([utterance]);
    const [first, last] = [wanted[0], wanted.at(-1)];
    changeCues(this.#track, () => {
      for (const cue of this.#current.splice(wanted.length)) this.#track.removeCue(cue);
      this.#release();
      if (!first || !last) return;
      this.#clear(first.start, last.end);
      const { end: lastEnd } = last;
      last.end = this.#heldUntil(lastEnd);
      this.#current = this.#written(this.#current, wanted);
      this.#held = { cue: this.#current.at(-1)!, end: lastEnd };
    });
    if (finalId === undefined) return;
    this.#finals.set(finalId, this.#current);
    this.#old.push(...this.#current);
    this.#current = [];
  }

  /** Shows these texts in place of the final utterances with these ids; not where the media was heard once more since. */
  revise(ids: readonly number[], segments: readonly TranscriptSegment[]): void {
    const shown = ids.flatMap((id) => this.#finals.get(id) ?? []);
    for (const id of ids) this.#finals.delete(id);
    const left = shown.filter((cue) => this.#old.includes(cue));
    if (left.length < shown.length) return;
    const wanted = this.#wanted(segments);
    const last = wanted.at(-1);
    changeCues(this.#track, () => {
      for (const cue of left.splice(wanted.length)) this.#track.removeCue(cue);
      this.#old = this.#old.filter((cue) => !shown.includes(cue));
      const isHeld = this.#held !== undefined && shown.includes(this.#held.cue);
      if (isHeld) this.#held = undefined;
      if (!last) return;
      this.#fit(wanted);
      const { end } = last;
      if (isHeld) last.end = this.#heldUntil(end);
      const written = this.#written(left, wanted);
      this.#old.push(...written);
      if (isHeld) this.#held = { cue: written.at(-1)!, end };
    });
  }

  /** Takes all away. */
  clear(): void {
    changeCues(this.#track, () => {
      for (const cue of [...this.#old, ...this.#current]) this.#track.removeCue(cue);
    });
    this.#old = [];
    this.#current = [];
    this.#finals.clear();
    this.#held = undefined;
  }

  #wanted(segments: readonly TranscriptSegment[]): Wanted[] {
    return [...cues({ segments }, this.#format)].map(({ start, end, text }) => ({
      start: start / 1000,
      end: end / 1000,
      text: escaped(text),
    }));
  }

  /** These cues, no more than are wanted, made into those. */
  #written(cues: readonly VTTCue[], wanted: readonly Wanted[]): VTTCue[] {
    return wanted.map(({ start, end, text }, at) => {
      const cue = cues[at] ?? this.#added(start, end, text);
      // What stays the same is not touched, so that it does not flicker.
      if (cue.text !== text) cue.text = text;
      if (cue.startTime !== start) cue.startTime = start;
      if (cue.endTime !== end) cue.endTime = end;
      return cue;
    });
  }

  /** The times of another hearing overlap a little with those of the neighbours, which were not heard again with it. */
  #fit(wanted: readonly Wanted[]): void {
    const [first, last] = [wanted[0]!, wanted.at(-1)!];
    for (const { startTime, endTime } of [...this.#old, ...this.#current]) {
      if (startTime < first.start) {
        if (endTime < first.end) first.start = Math.max(first.start, endTime);
      } else if (startTime > last.start) {
        last.end = Math.min(last.end, startTime);
      }
    }
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
