// OpenAI's models by their short names: their dimensions, and the repositories that have their weights, the smallest download first.
import { SusurrusError } from '../../src/api/errors.js';
import type { WeightType } from '../../src/api/generated/dtypes.js';
import {
  cantoneseVocabulary,
  englishVocabulary,
  multilingualVocabulary,
  type Architecture,
} from '../../src/api/generated/whisper.js';
import type { Repository } from './repository.js';
import type { RepositoryFiles } from './repository_files.js';

/** A repository of the hub, and which of its files is the model where that is one file. */
interface Origin {
  /** OWNER/NAME */
  readonly repository: string;
  readonly file?: string;
}

/** Width, heads, layers of the encoder and of the decoder, by Whisper's names of sizes. */
const sizes = {
  tiny: [384, 6, 4, 4],
  base: [512, 8, 6, 6],
  small: [768, 12, 12, 12],
  medium: [1024, 16, 24, 24],
  large: [1280, 20, 32, 32],
  turbo: [1280, 20, 32, 4],
} as const;

const smaller = (['tiny', 'base', 'small', 'medium'] as const).flatMap((size) =>
  [size, `${size}.en` as const].map((name) => [name, { size, openai: `whisper-${name}` }] as const),
);

/** OpenAI's repository and the size of each. */
const models: Readonly<
  Record<string, { readonly size: keyof typeof sizes; readonly openai: string }>
> = {
  ...Object.fromEntries(smaller),
  'large-v1': { size: 'large', openai: 'whisper-large' },
  'large-v2': { size: 'large', openai: 'whisper-large-v2' },
  'large-v3': { size: 'large', openai: 'whisper-large-v3' },
  'large-v3-turbo': { size: 'turbo', openai: 'whisper-large-v3-turbo' },
};
const otherNames: Readonly<Record<string, string>> = {
  large: 'large-v3',
  turbo: 'large-v3-turbo',
};

/** All names, for messages. */
export const shortNames: readonly string[] = [...Object.keys(models), ...Object.keys(otherNames)];

/** The usual name of an official model, and OpenAI's repository of it; undefined for any other text. */
export function findOfficial(
  text: string,
): { readonly short: string; readonly repository: string } | undefined {
  const short = Object.hasOwn(otherNames, text) ? (otherNames[text] ?? text) : text;
  const model = Object.hasOwn(models, short) ? models[short] : undefined;
  return model && { short, repository: `openai/${model.openai}` };
}

/** Dimensions of a model that has a short name. */
function officialArchitecture(short: string): Architecture | undefined {
  const model = models[short];
  if (!model) return undefined;
  const [state, heads, audioLayers, textLayers] = sizes[model.size];
  const isThird = short.startsWith('large-v3');
  const multilingual = isThird ? cantoneseVocabulary : multilingualVocabulary;
  return {
    n_vocab: short.endsWith('.en') ? englishVocabulary : multilingual,
    n_audio_ctx: 1500,
    n_audio_state: state,
    n_audio_head: heads,
    n_audio_layer: audioLayers,
    n_text_ctx: 448,
    n_text_state: state,
    n_text_head: heads,
    n_text_layer: textLayers,
    n_mels: isThird ? 128 : 80,
  };
}

/**
 * Where the weights of a model with a short name are, for files with that type, the best first: ggml's q8_0, whose blocks are copied;
 * faster-whisper's f16; OpenAI's own, of which most are f32.
 */
function originsOf(short: string, dtype: WeightType): readonly Origin[] {
  const openai = { repository: findOfficial(short)?.repository ?? short };
  if (dtype === 'f32' || dtype === 'bf16') return [openai];
  const owner = short === 'large-v3-turbo' ? 'mobiuslabsgmbh' : 'Systran';
  const halves = { repository: `${owner}/faster-whisper-${short}` };
  // ggml files do not state the alignment heads, and these two models have the same dimensions.
  const isAmbiguous = short === 'large-v1' || short === 'large-v2';
  if (dtype !== 'q8_0' || isAmbiguous) return [halves, openai];
  const ggml = { repository: 'ggerganov/whisper.cpp', file: `ggml-${short}-q8_0.bin` };
  return [ggml, halves, openai];
}

/**
 * Files of the model that a name means, for weights of a type. For a short name these are the files of the first repository that has
 * them; the next repository is asked only if a repository or file does not exist.
 */
export async function filesOfModel(
  repository: Repository,
  dtype: WeightType,
  list: (repository: Repository) => Promise<RepositoryFiles>,
): Promise<RepositoryFiles> {
  const { short } = repository;
  if (short === undefined) return list(repository);
  const architecture = officialArchitecture(short);
  const own = architecture && { architecture };
  const origins = originsOf(short, dtype);
  let missing: unknown;
  for (const { repository: name, file } of origins) {
    try {
      const files = await list({ name, revision: 'main' });
      if (file === undefined) return { ...files, ...own };
      if (await files.find(file)) return { ...files, ...own, names: [file], weightsFile: file };
    } catch (error) {
      if (!isMissing(error)) throw error;
      missing = error;
    }
  }
  throw missing;
}

/** The hub has no such repository; without a token it answers as for a private one. */
const isMissing = (error: unknown): boolean =>
  error instanceof SusurrusError &&
  /^HTTP 404\b|^HTTP 401, RepoNotFound$/.test(error.details.got ?? '');
