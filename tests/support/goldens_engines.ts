import { describe, expect, test } from '@jest/globals';
import { relaxedSimd } from 'wasm-feature-detect';
import type * as Api from '../../web/src/api/types.js';
import { hasSettledRelaxedSimd } from '../../scripts/toolchain/node_flags.mjs';
import { builtPackage } from './built_package.js';
import { goldenModels, type GoldenModel } from './goldens.js';
import { loadNative } from './goldens_native.js';
import { describeWithShared } from './shared_folder.js';

/** What the conformance suites ask of an engine. */
export interface ConformanceModel {
  logMel(samples: Float32Array, mode: 'window' | 'whole'): Promise<Float32Array>;
  encode(mel: Float32Array): Promise<Float32Array>;
  logits(tokens: readonly number[]): Promise<Float32Array>;
  decode(samples: Float32Array, options: Api.DecodeOptions): Promise<Api.DecodeResult>;
  transcribe(
    samples: Float32Array,
    options: Api.TranscribeOptions,
  ): Promise<Omit<Api.Transcript, 'duration'>>;
  detectLanguage(
    samples: Float32Array,
    options?: Api.DetectLanguageOptions,
  ): Promise<readonly Api.LanguageProbability[]>;
  score(
    samples: Float32Array,
    candidates: readonly string[],
    options?: Api.ScoreOptions,
  ): Promise<readonly Api.CandidateScore[]>;
  align(
    samples: Float32Array,
    text: string,
    options?: Api.AlignOptions,
  ): Promise<readonly Api.Word[]>;
  encodeText(text: string): Promise<number[]>;
  decodeTokens(tokens: readonly number[]): Promise<string>;
  special(): Promise<Omit<Api.SpecialTokens, 'languages'> & { languages: Record<string, number> }>;
  dispose(): void;
}

export const engineNames = ['native', 'simd', 'relaxed'] as const;
export type EngineName = (typeof engineNames)[number];

async function loadBuilt(variant: Api.Variant, path: string): Promise<ConformanceModel> {
  const { loadModel } = await builtPackage();
  const model = await loadModel<'whisper'>(path, { variant });
  if (model.info.variant !== variant)
    throw new Error(`asked for ${variant}, got ${model.info.variant}`);
  const { nMels } = model.info.dims;
  return {
    logMel: async (samples, mode) => (await model.logMel(samples, { mode })).data,
    encode: (data) => model.encode({ data, nMels, nFrames: data.length / nMels }),
    logits: (tokens) => model.logits(tokens),
    decode: (samples, options) => model.decode(samples, options),
    transcribe: (samples, options) => model.transcribe(samples, options),
    detectLanguage: (samples, options) => model.detectLanguage(samples, options),
    score: (samples, candidates, options) => model.score(samples, candidates, options),
    align: (samples, text, options) => model.align(samples, text, options),
    encodeText: (text) => model.tokenizer.encode(text),
    decodeTokens: (tokens) => model.tokenizer.decode(tokens),
    special: () => Promise.resolve({ ...model.tokenizer.special }),
    dispose: () => model.dispose(),
  };
}

export function loadOn(engine: EngineName, path: string): Promise<ConformanceModel> {
  return engine === 'native' ? loadNative(path) : loadBuilt(engine, path);
}

const hasRelaxedSimd = await relaxedSimd();

export const goldenModelsOn = (engine: EngineName): readonly GoldenModel[] =>
  engine === 'native' ? goldenModels.slice(0, 1) : goldenModels;

/**
 * One case in so many: the native engine's plain kernels with sanitizers take seconds for a window, and relaxed SIMD that is
 * not settled takes twice as long as plain SIMD.
 */
const oneIn = { native: 6, simd: 1, relaxed: hasSettledRelaxedSimd() ? 1 : 3 };

export const casesOn = <T>(engine: EngineName, cases: readonly T[]): T[] =>
  cases.filter((_, i) => i % oneIn[engine] === 0);

/** Runs a suite on the native engine and both WebAssembly binaries. `needs` are paths in the shared folder. */
export function describeOnEngines(
  needs: string[],
  name: string,
  body: (engine: EngineName) => void,
  engines: readonly EngineName[] = engineNames,
): void {
  for (const engine of engines) {
    const title = `${name} on ${engine}`;
    if (engine === 'relaxed' && !hasRelaxedSimd) {
      console.warn(`Skipped, for want of relaxed SIMD in this Node: ${title}`);
      const skipped = describe.skip;
      skipped(title, () => test('needs relaxed SIMD', () => expect(hasRelaxedSimd).toBe(true)));
      continue;
    }
    describeWithShared(needs, title, () => body(engine));
  }
}
