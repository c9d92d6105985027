import { badFile, isId, type JsonObject } from './json_files.js';

/** APR2's names, in APR2's order. */
export interface Architecture {
  readonly n_vocab: number;
  readonly n_audio_ctx: number;
  readonly n_text_ctx: number;
  readonly n_mels: number;
  readonly n_audio_layer: number;
  readonly n_text_layer: number;
  readonly n_audio_head: number;
  readonly n_text_head: number;
  readonly n_audio_state: number;
  readonly n_text_state: number;
}

/** The same dimension in the hub's config.json; OpenAI's own folders use APR2's names. */
export const hubNames: Record<keyof Architecture, string> = {
  n_vocab: 'vocab_size',
  n_audio_ctx: 'max_source_positions',
  n_text_ctx: 'max_target_positions',
  n_mels: 'num_mel_bins',
  n_audio_layer: 'encoder_layers',
  n_text_layer: 'decoder_layers',
  n_audio_head: 'encoder_attention_heads',
  n_text_head: 'decoder_attention_heads',
  n_audio_state: 'd_model',
  n_text_state: 'd_model',
};

export function readArchitecture(config: JsonObject, file: string): Architecture {
  const { model_type: type } = config;
  if (typeof type === 'string' && type !== 'whisper') {
    throw badFile(file, `model_type is ${JSON.stringify(type)}, not "whisper"`, 'model');
  }
  const names = Object.keys(hubNames) as (keyof Architecture)[];
  const entries = names.map((name) => {
    const value = config[hubNames[name]] ?? config[name];
    if (!isId(value) || value === 0) {
      throw badFile(file, `${hubNames[name]} is missing or no positive integer`);
    }
    return [name, value] as const;
  });
  return Object.fromEntries(entries) as Record<keyof Architecture, number>;
}
