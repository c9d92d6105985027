// Tells the speakers of a model's transcriptions apart: what is read of a recording passes through here on its way to the engines.
import { disposedDuringWork, invalidOption } from '../api/errors.js';
import { checkOptions, oneOf } from '../api/options.js';
import { anyOf, orAborted, throwIfAborted } from '../api/signals.js';
import type {
  AnyTranscribeOptions,
  FoundSpeakers,
  Segment,
  SpeakerOptions,
  Transcript,
} from '../api/types.js';
import type { OpenedAudio } from '../audio/audio_feed.js';
import { asSamples } from '../audio/audio_stream.js';
import type { Platform } from '../platform/platform.js';
import type { KeptSpeakerFinding, SpeakerFinding, SpeakerSearch } from '../platform/speakers.js';
import type { Companion } from './resting_engine.js';

/** Samples that go to the networks at once: 10 s. */
const pieceSamples = 160_000;
/** How far the sound that is read may be ahead of the networks: about a minute. */
const mostAhead = 6 * pieceSamples;

/** The networks of a model, which stay with it from the first transcription with speakers on. */
export class SpeakerCompanion implements Companion {
  readonly #platform: Platform;
  #kept: KeptSpeakerFinding | undefined;
  #isClosed = false;

  constructor(platform: Platform) {
    this.#platform = platform;
  }

  async begin(
    options: SpeakerOptions,
    signal: AbortSignal,
    isLive = false,
  ): Promise<[SpeakerFinding, SpeakerSearch]> {
    const finding = await this.#platform.loadSpeakerFinding();
    throwIfAborted(signal);
    if (this.#isClosed) throw disposedDuringWork();
    this.#kept ??= finding.keepSpeakerFinding(this.#platform);
    return [finding, await this.#kept.open(options, signal, isLive)];
  }

  /** Ends the networks; the next recording starts others. */
  rest(): void {
    this.#kept?.close();
    this.#kept = undefined;
  }

  /** Ends them for good. */
  close(): void {
    this.#isClosed = true;
    this.rest();
  }
}

/** The option, where it asks for speakers. */
export function speakersAsked(value: unknown): SpeakerOptions | undefined {
  if (value === undefined || value === false) return undefined;
  if (value === true) return {};
  if (typeof value === 'object' && value !== null) return value;
  throw invalidOption('speakers', 'true, false, or { count }, { min, max }', value);
}

/** The speakers of one recording, which is heard once for its text and once for its voices. */
export class RecordingSearch {
  readonly #failing = new AbortController();
  readonly #begun: Promise<[SpeakerFinding, SpeakerSearch]>;
  /** All that was passed on so far. */
  #pushed: Promise<void> = Promise.resolve();
  #waitingSamples = 0;
  #room: (() => void) | undefined;
  #isClosed = false;

  constructor(companion: SpeakerCompanion, options: SpeakerOptions, signal: AbortSignal) {
    this.#begun = companion.begin(options, signal);
    this.#begun.catch((error: unknown) => this.#failing.abort(error));
  }

  /** Rejects where the networks cannot be opened. */
  get begun(): Promise<unknown> {
    return this.#begun;
  }

  /** Aborted, with the error as its reason, when the voices cannot be heard. */
  get failed(): AbortSignal {
    return this.#failing.signal;
  }

  /** The audio, of which all that is read is heard here too. */
  tap(opened: OpenedAudio): OpenedAudio {
    if ('samples' in opened) {
      // The engine may take the array away, or its owner.
      this.#push(opened.samples.slice());
      return opened;
    }
    const { chunks } = opened;
    return {
      ...opened,
      chunks: {
        next: async () => {
          await this.#hasRoom();
          const step = await chunks.next();
          if (!step.done) this.#push(asSamples(step.value).slice());
          return step;
        },
        return: () => chunks.return?.(),
      },
    };
  }

  async finish(transcript: Transcript): Promise<Transcript> {
    await this.#pushed;
    throwIfAborted(this.failed);
    const [finding, search] = await this.#begun;
    const found: FoundSpeakers = await search.finish();
    return finding.assignSpeakers(transcript, found);
  }

  close(): void {
    this.#isClosed = true;
    this.#room?.();
    this.#begun.then(([, search]) => search.close()).catch(() => undefined);
  }

  #push(samples: Float32Array): void {
    this.#waitingSamples += samples.length;
    this.#pushed = this.#pushed
      .then(async () => {
        const [, search] = await this.#begun;
        for (let at = 0; at < samples.length; at += pieceSamples) {
          const piece = samples.subarray(at, at + pieceSamples);
          await search.push(piece);
          this.#waitingSamples -= piece.length;
          if (this.#waitingSamples < mostAhead) this.#room?.();
        }
      })
      .catch((error: unknown) => {
        this.#failing.abort(error);
        this.#room?.();
      });
  }

  async #hasRoom(): Promise<void> {
    while (this.#waitingSamples >= mostAhead && !this.failed.aborted && !this.#isClosed) {
      await new Promise<void>((done) => (this.#room = done));
    }
    this.#room = undefined;
  }
}

/**
 * The options of a transcription that gives words to speakers, without that option: it has word times.
 *
 * @throws SusurrusError `invalid_argument` where there can be none.
 */
export function withoutSpeakers(
  options: AnyTranscribeOptions,
  isLive: boolean,
): AnyTranscribeOptions {
  // Unchecked: it may be anything.
  const given = options as AnyTranscribeOptions | null;
  if (!speakersAsked(given?.speakers))
    return given?.speakers === false ? without(options) : options;
  const { speakers, timestamps, ...others } = options;
  if (isLive) throw invalidOption('speakers', 'absent for live audio', speakers);
  checkOptions({ timestamps }, { timestamps: oneOf('segment', 'word') });
  return { ...others, timestamps: 'word' };
}

function without(options: AnyTranscribeOptions): AnyTranscribeOptions {
  const plain: AnyTranscribeOptions & { speakers?: unknown } = { ...options };
  delete plain.speakers;
  return plain;
}

/** What is asked of a transcription with speakers. */
interface SpeakersWanted {
  readonly options: SpeakerOptions;
  readonly signal: AbortSignal | undefined;
  /** Aborted when its loop is left. */
  readonly leaving: AbortSignal;
  /** Whether its segments keep their words. */
  readonly hasWords: boolean;
}

/** Does a transcription whose result has speakers. */
export async function withSpeakers(
  companion: SpeakerCompanion,
  { options, signal: asked, leaving, hasWords }: SpeakersWanted,
  transcribe: (search: RecordingSearch, signal: AbortSignal) => Promise<Transcript>,
): Promise<Transcript> {
  const ending = anyOf([asked, leaving]);
  const search = new RecordingSearch(companion, options, ending.signal);
  const { signal, release } = anyOf([ending.signal, search.failed]);
  try {
    // Networks that cannot be opened are known before there is any text.
    await orAborted(search.begun, signal);
    const transcript = await search.finish(await transcribe(search, signal));
    return hasWords ? transcript : withoutWords(transcript);
  } finally {
    search.close();
    ending.release();
    release();
  }
}

const withoutWords = (transcript: Transcript): Transcript => ({
  ...transcript,
  segments: transcript.segments.map((segment) => {
    const plain: Segment & { words?: unknown } = { ...segment };
    delete plain.words;
    return plain;
  }),
});
