import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sharedFolder } from './shared_folder.js';

export const goldenModels = ['micro', 'micro-en', 'micro-v3-turbo'] as const;
export type GoldenModel = (typeof goldenModels)[number];

/** Tolerances of the goldens' README, for an engine that computes in f32. */
export const tolerances = {
  mel: 1e-4,
  encoder: 1e-3,
  encoderRelativeL2: 1e-4,
  logits: 1e-3,
  probability: 1e-3,
  avgLogprob: 1e-3,
  compressionRatio: 1e-4,
};

/** Values at some places of a long array. */
export interface Samples {
  readonly idx: readonly number[];
  readonly val: readonly number[];
}

export interface MelGolden extends Samples {
  readonly shape: readonly [number, number];
  readonly mode: string;
}

export interface EncoderGolden extends Samples {
  readonly shape: readonly [number, number];
  readonly l2: number;
}

export interface LogitsGolden {
  readonly audio: string;
  readonly fixed_idx: readonly number[];
  readonly cases: Readonly<
    Record<
      string,
      {
        readonly tokens: readonly number[];
        readonly last: {
          readonly top20_ids: readonly number[];
          readonly top20_logits: readonly number[];
          readonly fixed_logits: readonly number[];
        };
      }
    >
  >;
}

export interface DecodeGolden {
  readonly id: string;
  readonly audio: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly tokens: readonly number[];
  readonly text: string;
  readonly language: string;
  readonly avg_logprob: number;
  readonly no_speech_prob: number;
  readonly compression_ratio: number;
  /** False where the limit of tokens ended it. */
  readonly reached_eot: boolean;
}

export interface WordGolden {
  readonly word: string;
  readonly start: number;
  readonly end: number;
  readonly probability: number;
}

/** The reference's find_alignment() of given tokens. */
export interface AlignmentGolden {
  readonly audio: string;
  readonly language: string;
  readonly num_frames: number;
  readonly text_tokens: readonly number[];
  readonly text: string;
  readonly words: readonly (WordGolden & { readonly tokens: readonly number[] })[];
}

export interface LanguageGolden {
  readonly audio: string;
  readonly language: string;
  readonly probs: Readonly<Record<string, number>>;
}

export interface SegmentGolden {
  readonly id: number;
  readonly seek: number;
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly tokens: readonly number[];
  readonly avg_logprob: number;
  readonly compression_ratio: number;
  readonly no_speech_prob: number;
  readonly words?: readonly WordGolden[];
}

export interface TranscribeGolden {
  readonly id: string;
  readonly audio: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly language: string;
  readonly segments: readonly SegmentGolden[];
}

/** A JSON file of the shared folder. */
export function sharedJson(path: string): unknown {
  return JSON.parse(readFileSync(join(sharedFolder, path), 'utf8'));
}

export function expected(model: GoldenModel, file: string): unknown {
  return sharedJson(`golden/expected/${model}/${file}.json`);
}

/** Those of the same audio one after the other, so that an engine may keep what it made of it. */
export function byAudio<T extends { readonly audio: string }>(cases: readonly T[]): T[] {
  return [...cases].sort((a, b) => a.audio.localeCompare(b.audio));
}

/** The largest difference at the sampled places. */
export function largestError(actual: Float32Array, golden: Samples): number {
  let worst = 0;
  golden.idx.forEach((index, i) => {
    const error = Math.abs(actual[index]! - golden.val[i]!);
    // Not a number counts as infinitely wrong.
    worst = error <= worst ? worst : Number.isNaN(error) ? Infinity : error;
  });
  return worst;
}

export function l2(values: Float32Array): number {
  return Math.sqrt(values.reduce((sum, x) => sum + x * x, 0));
}
