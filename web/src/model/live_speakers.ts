// Tells the speakers of a stream apart, beside its transcription.
import type { LiveSpeakers, LiveText, RevisedText, SpokenText } from '../api/types.js';
import { sampleRate } from '../api/generated/whisper.js';
import { joined } from '../api/joined.js';
import type { SpeakerFinding, SpeakerSearch } from '../platform/speakers.js';
import type { Change } from './revisions.js';

/** Samples that go to the networks at once, at most. */
const pieceSamples = 10 * sampleRate;
/** Samples that may wait. With more the device is too slow, and no more speakers are told. */
const mostWaiting = 60 * sampleRate;
/** Windows begin so many samples apart: with each of them there may be more to tell. */
const windowSamples = 2.5 * sampleRate;
/** Who speaks is settled anew after so many times the time that it took the last time. */
const leastPause = 4;

type Found = Awaited<ReturnType<SpeakerSearch['settle']>>;

/** What is told: of a stream whose ids and times the receiver knows. */
export type SpeakersNews = Omit<LiveSpeakers, 'id' | 'time'>;

/** What a stream's speakers are told to. None of it may keep the stream alive. */
export interface SpeakersReceiver {
  readonly tell: (news: readonly SpeakersNews[]) => void;
  /** The networks cannot be had. */
  readonly fail: (error: unknown) => void;
  /** Says why no more speakers are told. */
  readonly warn: (warning: string) => void;
}

/** Opens the search for the speakers of a stream. */
export type OpenSpeakers = (signal: AbortSignal) => Promise<[SpeakerFinding, SpeakerSearch]>;

/** A text, and what was told of it last. */
interface Text {
  readonly start: number;
  readonly end: number;
  readonly ids: readonly number[];
  readonly segments: readonly RevisedText[];
  told: string;
}

/** Gets all sound and all final texts of a stream; times are those of the stream. */
export class StreamSpeakers {
  readonly #receiver: SpeakersReceiver;
  readonly #leaving = new AbortController();
  readonly #opened: Promise<[SpeakerFinding, SpeakerSearch]>;
  readonly #texts: Text[] = [];
  /** Sound, and how much is left out. */
  #waiting: (Float32Array | number)[] = [];
  /** Without what is left out, which is no reason to give up. */
  #waitingCount = 0;
  #sinceSettled = 0;
  #settleAt = 0;
  #found: Found | undefined;
  /** Whether texts or speakers came since whose they are was looked at. */
  #hasNews = false;
  #failure: { readonly error: unknown } | undefined;
  /** The work on what waits; never rejects. */
  #work: Promise<void> | undefined;

  constructor(open: OpenSpeakers, receiver: SpeakersReceiver) {
    this.#receiver = receiver;
    this.#opened = open(this.#leaving.signal);
    this.#opened.catch((error: unknown) => {
      if (this.#hasLeft()) return;
      this.#failure = { error };
      this.#leave();
      receiver.fail(error);
    });
  }

  /** The next samples of the stream, which stay as they are. */
  hear(samples: Float32Array): void {
    if (this.#hasLeft() || samples.length === 0) return;
    this.#waiting.push(samples);
    this.#waitingCount += samples.length;
    if (this.#waitingCount > mostWaiting) {
      this.#giveUp('The device is too slow for the voices.');
      return;
    }
    this.#work ??= this.#hearWaiting();
  }

  /** So many samples are left out: nobody is heard there. */
  skip(count: number): void {
    if (this.#hasLeft() || count === 0) return;
    this.#waiting.push(count);
    this.#work ??= this.#hearWaiting();
  }

  /** A final text. */
  said({ id, start, end, text, words, language }: LiveText): void {
    if (this.#hasLeft() || text.trim() === '') return;
    const segment = { start, end, text, words, ...(language !== undefined && { language }) };
    this.#texts.push({ start, end, ids: [id], segments: [segment], told: '' });
    this.#hasNews = true;
  }

  /** Texts that take the place of others. */
  revised({ start, end, replaces, segments }: Change): void {
    if (this.#hasLeft()) return;
    const isReplaced = ({ ids }: Text): boolean => ids.some((id) => replaces.includes(id));
    const left = this.#texts.filter((text) => !isReplaced(text));
    if (segments.length > 0) {
      const at = left.findIndex((text) => text.start >= start);
      const text = { start, end, ids: replaces, segments, told: '' };
      left.splice(at < 0 ? left.length : at, 0, text);
    }
    this.#texts.splice(0, this.#texts.length, ...left);
    this.#hasNews = true;
  }

  /** Resolves when all was heard and told; rejects where the networks cannot be had. */
  async finish(): Promise<void> {
    await this.#work;
    await this.#attempt(async (finding, search) => {
      this.#tell(finding, await search.finish(), true);
    });
    if (this.#failure) throw this.#failure.error;
    this.close();
  }

  /** Stops at once. */
  close(): void {
    this.#leave();
  }

  #hasLeft(): boolean {
    return this.#leaving.signal.aborted;
  }

  #leave(): void {
    if (this.#hasLeft()) return;
    this.#leaving.abort();
    this.#waiting = [];
    this.#waitingCount = 0;
    this.#opened.then(([, search]) => search.close()).catch(() => undefined);
  }

  #giveUp(why: string): void {
    this.#leave();
    this.#receiver.warn(`No more speakers of a stream are told. ${why}`);
  }

  async #attempt(
    work: (finding: SpeakerFinding, search: SpeakerSearch) => Promise<void>,
  ): Promise<void> {
    let opened;
    try {
      opened = await this.#opened;
    } catch {
      // The receiver knows.
      return;
    }
    if (this.#hasLeft()) return;
    try {
      await work(...opened);
    } catch (error) {
      if (!this.#hasLeft()) this.#giveUp(error instanceof Error ? error.message : String(error));
    }
  }

  async #hearWaiting(): Promise<void> {
    // What comes in the same turn is heard together.
    await Promise.resolve();
    await this.#attempt(async (finding, search) => {
      while (this.#waiting.length > 0) {
        const piece = this.#take();
        await search.push(piece);
        if (this.#hasLeft()) return;
        this.#sinceSettled += piece.length;
        if (this.#waiting.length === 0) await this.#settle(finding, search);
        if (this.#hasLeft()) return;
      }
      this.#work = undefined;
    });
  }

  #take(): Float32Array {
    const parts: Float32Array[] = [];
    for (let room = pieceSamples; room > 0;) {
      const first = this.#waiting.shift();
      if (first === undefined) break;
      const isLeftOut = typeof first === 'number';
      const length = Math.min(room, isLeftOut ? first : first.length);
      parts.push(isLeftOut ? new Float32Array(length) : first.subarray(0, length));
      const rest = isLeftOut ? first - length : first.subarray(length);
      if (typeof rest === 'number' ? rest > 0 : rest.length > 0) this.#waiting.unshift(rest);
      if (!isLeftOut) this.#waitingCount -= length;
      room -= length;
    }
    return joined(parts, Float32Array);
  }

  async #settle(finding: SpeakerFinding, search: SpeakerSearch): Promise<void> {
    const begin = performance.now();
    if (this.#sinceSettled >= windowSamples && begin >= this.#settleAt) {
      this.#sinceSettled = 0;
      this.#found = await search.settle();
      if (this.#hasLeft()) return;
      const end = performance.now();
      this.#settleAt = end + leastPause * (end - begin);
      this.#hasNews = true;
    }
    if (this.#found && this.#hasNews) this.#tell(finding, this.#found, false);
  }

  /** Tells whose the texts are, as far as voices were heard and it is new. */
  #tell(finding: SpeakerFinding, found: Found, isLast: boolean): void {
    if (this.#hasLeft()) return;
    this.#hasNews = false;
    const { duration: until, speakers } = found;
    const heard = this.#texts.filter(({ end }) => isLast || end <= until);
    const parts = new Map<Text, RevisedText[]>(heard.map((text) => [text, []]));
    const segments = heard.flatMap((text) => text.segments.map((each) => ({ ...each, of: text })));
    for (const { of, ...part } of finding.assignSpeakers({ segments }, found).segments) {
      parts.get(of)!.push(part);
    }
    const texts: SpokenText[] = [];
    for (const [text, own] of parts) {
      const whose = whoseOf(own);
      if (whose === text.told) continue;
      text.told = whose;
      const { start, end, ids } = text;
      texts.push({ start, end, ids, segments: own });
    }
    if (isLast || texts.length > 0) {
      this.#receiver.tell([{ type: 'speakers', until, texts, speakers }]);
    }
  }
}

/** The speakers of a text's parts and of their words; empty where there are none. */
function whoseOf(parts: readonly RevisedText[]): string {
  const speakers = parts.map(({ speaker, words }) => [
    speaker,
    ...words.map((word) => word.speaker),
  ]);
  return speakers.flat().some((each) => each !== undefined) ? JSON.stringify(speakers) : '';
}
