// What the command line gets instead of the package: a model that says how it was called, on stderr, and hears one thing.
import { readFileSync } from 'node:fs';
import type { ModelInfo, Segment, Transcript } from '../../web/src/api/types.js';

import { SusurrusError } from '../../web/src/api/errors.js';
import { isCut } from '../../web/src/model/chunked_transcription.js';

export { SusurrusError } from '../../web/src/api/errors.js';
export { check } from '../../web/src/writers/check_subtitles.js';
export { format, transcriptFormats } from '../../web/src/writers/format.js';
export { apr1WeightTypes } from '../../web/tools/convert/weight_types.js';
export { weightTypes } from '../../web/src/api/generated/dtypes.js';
export { formatTurns } from '../../web/src/writers/rttm.js';
export { languageNames } from '../../web/src/api/generated/languages.js';

const facts = {
  seek: 3000,
  tokens: [1],
  tokenProbabilities: [0.5],
  temperature: 0.2,
  avgLogprob: -0.5,
  compressionRatio: 1,
  noSpeechProb: 0.25,
  encoderContext: 1500,
  language: 'de',
} as const;
const refused = {
  ...facts,
  temperature: 0,
  avgLogprob: -1.5,
  decision: 'retried:log-probability',
  text: ' la',
} as const;
const attempts = [refused, { ...facts, decision: 'kept', text: ' Hallo Welt.' }] as const;

const wordless: Segment = {
  ...facts,
  id: 0,
  start: 30,
  end: 31.5,
  text: ' Hallo Welt.',
  decision: 'retried:log-probability',
  attempts,
};
const segment: Segment = {
  ...wordless,
  words: [
    { word: ' Hallo', start: 30, end: 30.5, probability: 0.5 },
    { word: ' Welt.', start: 31, end: 31.5, probability: 0.75 },
  ],
};

const result: Transcript = {
  text: segment.text,
  language: 'de',
  duration: 60,
  segments: [segment],
  rejected: [
    {
      ...facts,
      id: 1,
      start: 40,
      end: 50,
      text: ' Danke.',
      noSpeechProb: 0.875,
      avgLogprob: -1.25,
      decision: 'dropped:no-speech',
      attempts,
    },
  ],
};

/** What it hears when it is told that the language is Hebrew. */
const hebrew: Transcript = { ...result, segments: [{ ...wordless, text: ' שלום!\nהיא iOS.' }] };

function tell(call: string, ...args: unknown[]): void {
  const shown = args.map((arg) => {
    if (arg instanceof Uint8Array) return `${arg.length} bytes`;
    if (arg instanceof Blob) return `${arg.size} bytes of a stream`;
    if (typeof arg !== 'object' || arg === null || Array.isArray(arg)) return arg;
    return Object.fromEntries(
      Object.entries(arg).filter(([name]) => name !== 'signal' && name !== 'onProgress'),
    );
  });
  process.stderr.write(`${JSON.stringify([call, ...shown])}\n`);
}

type Audio = string | Uint8Array | Blob;

/** Bytes that say "bad" are no audio file. */
function refuseBad(audio: Audio): void {
  const isBad =
    typeof audio === 'string'
      ? readFileSync(audio, 'utf8') === 'bad'
      : audio instanceof Uint8Array && new TextDecoder().decode(audio) === 'bad';
  if (!isBad) return;
  throw new SusurrusError('malformed', 'no audio file', { reason: 'bad_audio' });
}

/** The model's own engine, which fails at a file that says "poison". One that says "waits" is under way until then, once. */
class Engine {
  static #count = 0;
  readonly #isFirst = Engine.#count++ === 0;
  #failed = false;
  #tellFailed!: () => void;
  readonly #whenFailed = new Promise<void>((done) => (this.#tellFailed = done));

  async hear(audio: Audio): Promise<void> {
    const text = typeof audio === 'string' ? readFileSync(audio, 'utf8') : '';
    if (text === 'waits' && this.#isFirst) await this.#whenFailed;
    if (this.#failed) {
      throw new SusurrusError('wrong_state', 'The engine failed earlier', { reason: 'state' });
    }
    if (text !== 'poison') return;
    this.#failed = true;
    this.#tellFailed();
    throw new SusurrusError('internal_error', 'The engine failed', { reason: 'internal' });
  }
}

interface FakeModel {
  readonly info: Pick<ModelInfo, 'family'>;
}

export const sharesEngines = ({ info }: FakeModel, options: object): boolean =>
  isCut({ vad: true, ...options }, info);

export { loadModel as loadInWorkers };

export function loadModel(source: unknown, options: object): Promise<unknown> {
  tell('loadModel', source, options);
  const engine = new Engine();
  return Promise.resolve({
    info: {
      family: 'whisper',
      variant: 'simd',
      multilingual: true,
      dtypes: ['f32'],
      warnings: ['a warning'],
    },
    transcribe(audio: Audio, given: object) {
      tell('transcribe', audio, given);
      refuseBad(audio);
      const plain = 'language' in given && given.language === 'he' ? hebrew : result;
      const spoken = plain.segments.map((each) => ({ ...each, speaker: 'S1' }));
      const heard = 'speakers' in given ? { ...plain, segments: spoken } : plain;
      const hearing = engine.hear(audio).then(() => heard);
      return Object.assign(hearing, {
        soFar: { ...heard, languageProbability: 0.871 },
        async *[Symbol.asyncIterator]() {
          yield* (await hearing).segments;
        },
      });
    },
    detectLanguage(audio: Audio, given: object) {
      tell('detectLanguage', audio, given);
      refuseBad(audio);
      return Promise.resolve([
        { language: 'de', probability: 0.75 },
        { language: 'ht', probability: 0.125 },
        ...['en', 'nl', 'fr', 'lb'].map((language) => ({ language, probability: 0.03125 })),
      ]);
    },
    score(audio: Audio, candidates: string[], given: object) {
      tell('score', audio, candidates, given);
      return Promise.resolve(
        candidates.map((text, at) => ({ text, tokens: [], logprob: at - 9, avgLogprob: at - 3 })),
      );
    },
    align(audio: Audio, text: string, given: object) {
      tell('align', audio, text, given);
      return Promise.resolve(
        text.split(' ').map((word, at) => ({
          word: ` ${word}`,
          start: at,
          end: at + 0.5,
          probability: 0.5,
        })),
      );
    },
    memory: () => Promise.resolve({ wasmBytes: 2 ** 20 }),
    dispose() {
      tell('dispose');
    },
  });
}

export function loadSpeakerFinder(options: object): Promise<unknown> {
  tell('loadSpeakerFinder', options);
  return Promise.resolve({
    find(audio: Audio, given: object) {
      tell('find', audio, given);
      refuseBad(audio);
      const turns = [
        { start: 0.5, end: 2, speaker: 'S1' },
        { start: 1.75, end: 3, speaker: 'S2' },
      ];
      const speakers = [
        { id: 'S1', seconds: 1.5 },
        { id: 'S2', seconds: 1.25 },
      ];
      return Promise.resolve({ turns, speakers, duration: 3 });
    },
    dispose: () => tell('dispose'),
  });
}

export const inspect = undefined;
export const openModule = undefined;
/** Sizes of the base model, but not what it takes at most. */
export function plan(model: string, options: object): Promise<unknown> {
  tell('plan', model, options);
  const none = { kvCacheBytes: 0, activationBytes: 0, sequenceBytes: 0, wordBytes: 0 };
  return Promise.resolve({
    ...{ ...none, fetchBytes: 81_768_585, keptBytes: 0, weightBytes: 148_123_648 },
    ...{ revisionBytes: 32e6, detectorBytes: 9.4e6, speakersBytes: 0 },
    ...{ overheadBytes: 0, engineBytes: 0, furtherBytes: 500e6, peakBytes: NaN },
    verdict: { fits: 'unsure', reasons: ['it may'] },
  });
}
export const convertModel = undefined;
export const verifyModel = undefined;
export const addPieceDigests = undefined;
export const encryptModel = undefined;
export const signModel = undefined;
export const generateSigningKey = undefined;
export const shardModel = undefined;
export const unshardModel = undefined;
export const extract = undefined;
export const openModelFile = undefined;
export const downloadModel = undefined;
export const deleteModel = undefined;
/** Nothing was pulled: a model is the file that was named. */
export const listModels = () => Promise.resolve([]);
export const upgradeModel = undefined;
