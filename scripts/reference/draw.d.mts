import type { AudioRecipe } from './audio.mjs';
import type { Random } from './random.mjs';

export interface DrawnCase {
  readonly function: 'decode' | 'transcribe';
  readonly model: string;
  readonly audio: AudioRecipe;
  readonly options: Readonly<Record<string, unknown>>;
}

export declare function drawCase(
  random: Random,
  models: readonly { name: string; dims: { n_vocab: number; n_text_ctx: number } }[],
  recordings: readonly { name: string; samples: number }[],
): DrawnCase;
