import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { readRanks, writeHubVocabulary } from '../../scripts/hub_vocabulary.mjs';
import { mergedParts } from '../../web/tools/convert/byte_pairs.js';
import { byteLevelText } from '../../web/tools/convert/byte_level_text.js';
import { hubFiles } from '../../web/tools/convert/hub_files.js';
import { mergesOf, tokenizerFiles } from '../../web/tools/convert/hub_tokenizer.js';
import { addOfficialTokens } from '../../web/tools/convert/official_tokens.js';
import { YieldController } from '../../web/src/wasm/yield_controller.js';
import { describeWithShared, sharedFolder } from '../support/shared_folder.js';

const architecture = {
  n_vocab: 51865,
  n_audio_ctx: 1500,
  n_text_ctx: 448,
  n_mels: 80,
  n_audio_layer: 4,
  n_text_layer: 2,
  n_audio_head: 6,
  n_text_head: 6,
  n_audio_state: 384,
  n_text_state: 384,
};

const yielder = new YieldController(new AbortController().signal);

async function filesOf(parts: Partial<Parameters<typeof hubFiles>[0]> = {}) {
  const files = await hubFiles(
    {
      architecture,
      metadata: {},
      vocabulary: undefined,
      filterbank: undefined,
      torchType: 'float16',
      ...parts,
    },
    yielder,
  );
  return new Map(
    files.map(({ name, text }) => [
      name,
      (/json$/.test(name) ? JSON.parse(text) : text) as unknown,
    ]),
  );
}

test('the configuration is that of the hub', async () => {
  const files = await filesOf({
    metadata: {
      alignment_heads: [[1, 0]],
      tokenizer_config: { suppress_tokens: [], begin_suppress_tokens: [220, 50257] },
    },
  });
  expect([...files.keys()]).toEqual([
    'config.json',
    'generation_config.json',
    'preprocessor_config.json',
  ]);
  expect(files.get('config.json')).toEqual({
    architectures: ['WhisperForConditionalGeneration'],
    model_type: 'whisper',
    is_encoder_decoder: true,
    vocab_size: 51865,
    max_source_positions: 1500,
    max_target_positions: 448,
    num_mel_bins: 80,
    encoder_layers: 4,
    decoder_layers: 2,
    encoder_attention_heads: 6,
    decoder_attention_heads: 6,
    d_model: 384,
    num_hidden_layers: 4,
    encoder_ffn_dim: 1536,
    decoder_ffn_dim: 1536,
    activation_function: 'gelu',
    scale_embedding: false,
    tie_word_embeddings: true,
    median_filter_width: 7,
    torch_dtype: 'float16',
    bos_token_id: 50257,
    eos_token_id: 50257,
    pad_token_id: 50257,
    decoder_start_token_id: 50258,
  });
  const generation = files.get('generation_config.json') as Record<string, unknown>;
  expect(generation).toMatchObject({
    is_multilingual: true,
    task_to_id: { transcribe: 50359, translate: 50358 },
    no_timestamps_token_id: 50363,
    prev_sot_token_id: 50361,
    alignment_heads: [[1, 0]],
    suppress_tokens: [],
    begin_suppress_tokens: [220, 50257],
    max_initial_timestamp_index: 50,
    max_length: 448,
  });
  const languages = generation.lang_to_id as Record<string, number>;
  expect(Object.keys(languages)).toHaveLength(99);
  expect(languages).toMatchObject({ '<|en|>': 50259, '<|haw|>': 50352, '<|su|>': 50357 });
  expect(files.get('preprocessor_config.json')).toMatchObject({
    feature_size: 80,
    chunk_length: 30,
    n_samples: 480000,
    nb_max_frames: 3000,
  });
});

test('an English model has no languages, and lists that are not stated stay out', async () => {
  const files = await filesOf({ architecture: { ...architecture, n_vocab: 51864 } });
  const generation = files.get('generation_config.json');
  expect(generation).toMatchObject({ is_multilingual: false, eos_token_id: 50256 });
  for (const key of ['lang_to_id', 'suppress_tokens', 'alignment_heads']) {
    expect(generation).not.toHaveProperty(key);
  }
});

test('a filterbank of its own comes back', async () => {
  const filterbank = Float32Array.from({ length: 80 * 201 }, (_, i) => Math.fround(i / 7));
  const files = await filesOf({ filterbank });
  const { mel_filters: rows } = files.get('preprocessor_config.json') as {
    mel_filters: number[][];
  };
  expect(rows).toHaveLength(80);
  expect(Float32Array.from(rows.flat())).toEqual(filterbank);
});

test('tokens that no merge leads to have none, nor has the second of two that are the same', async () => {
  const tokens = ['a', 'b', 'c', 'bc', 'abc', 'cab', 'bc', ''];
  expect(await mergesOf(tokens, yielder)).toEqual(['b c', 'a bc']);
});

/** As the reference does it: quadratic. */
function plainlyMerged(text: string, ranks: ReadonlyMap<string, number>, limit: number): string[] {
  const parts = text.split('');
  for (;;) {
    const pairs = parts.slice(1).map((part, i) => ranks.get(`${parts[i]}${part}`) ?? Infinity);
    const least = Math.min(Infinity, ...pairs);
    if (!(least < limit)) return parts;
    const at = pairs.indexOf(least);
    parts.splice(at, 2, `${parts[at]}${parts[at + 1]}`);
  }
}

test('merges are those of the plain way', async () => {
  let state = 1;
  const random = (below: number): number => {
    state = (state * 48271) % 2147483647;
    return state % below;
  };
  const word = (length: number): string =>
    Array.from({ length }, () => 'abc'[random(3)] ?? '').join('');
  for (let round = 0; round < 300; ++round) {
    const ranks = new Map<string, number>();
    for (let rank = 0; rank < 60; ++rank) ranks.set(word(2 + random(6)), rank);
    const text = word(1 + random(40));
    const limit = random(70);
    expect(await mergedParts(text, ranks, limit, yielder)).toEqual(
      plainlyMerged(text, ranks, limit),
    );
  }
});

test('a hostile token takes steps in proportion to its length, and lets others run', async () => {
  class CountedRanks {
    lookups = 0;
    get(text: string): number | undefined {
      ++this.lookups;
      return /^a+$/.test(text) ? text.length : undefined;
    }
  }
  class CountedYieldController extends YieldController {
    steps = 0;
    override step(): Promise<void> {
      ++this.steps;
      return super.step();
    }
  }
  for (const length of [1000, 10_000, 40_000]) {
    const ranks = new CountedRanks();
    const counted = new CountedYieldController(new AbortController().signal);
    await mergedParts('a'.repeat(length), ranks, Infinity, counted);
    expect(ranks.lookups).toBeLessThanOrEqual(3 * length);
    expect(counted.steps).toBe(Math.floor((length - 1) / 256));
  }
  const stopped = new AbortController();
  const ranks = {
    get: (text: string) => {
      if (text.length > 2) stopped.abort('enough');
      return text.length;
    },
  };
  await expect(
    mergedParts('a'.repeat(10_000), ranks, Infinity, new YieldController(stopped.signal)),
  ).rejects.toBe('enough');
});

describeWithShared(['golden/tokenizer/multilingual.tiktoken'], 'vocabularies of the hub', () => {
  test.each([
    ['multilingual', 51865, 99],
    ['multilingual', 51866, 100],
    ['gpt2', 51864, 99],
  ])('%s of %d tokens is what the ranks say', async (name, size, languages) => {
    const folder = mkdtempSync(join(tmpdir(), 'susurrus-vocabulary-'));
    try {
      const ranks = readRanks(join(sharedFolder, `golden/tokenizer/${name}.tiktoken`));
      writeHubVocabulary(folder, ranks, languages);
      const tokens = ranks.map((token) => byteLevelText(Buffer.from(token, 'latin1')));
      addOfficialTokens(tokens, size);
      expect(tokens).toHaveLength(size);
      const written = await tokenizerFiles(tokens, yielder);
      const files = new Map(written.map(({ name, text }) => [name, text]));
      const expected = (file: string) => readFileSync(join(folder, file), 'utf8');
      const json = (text = '') => JSON.parse(text) as Record<string, unknown>;
      expect(files.get('merges.txt')).toBe(expected('merges.txt'));
      expect(json(files.get('vocab.json'))).toEqual(json(expected('vocab.json')));
      const tokenizer = json(files.get('tokenizer.json'));
      const wanted = json(expected('tokenizer.json'));
      expect(tokenizer.added_tokens).toEqual(wanted.added_tokens);
      expect(tokenizer.model).toMatchObject(wanted.model as Record<string, unknown>);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
