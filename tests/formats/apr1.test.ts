// APR1 through the public API: layouts, what public writers do differently, sections, and the vocabulary that a caller gives.
import { beforeAll, describe, expect, test } from '@jest/globals';
import {
  filterbankSection,
  tinyApr1,
  tinyApr1Tensors,
  tinyTokens,
  vocabularySection,
  writeApr1,
  writeApr1Json,
  type Apr1File,
} from '../support/apr1_writer.js';
import { crc32, writeApr2 } from '../support/apr2_writer.js';
import { builtPackage } from '../support/built_package.js';
import { errorOf } from '../support/embedded_model.js';
import { htkFilterbank } from '../support/htk_filterbank.js';
import { tinyDims, tinyMetadata, tinyWhisper } from '../support/tiny_whisper.js';

type Package = Awaited<ReturnType<typeof builtPackage>>;
let susurrus: Package;
beforeAll(async () => {
  susurrus = await builtPackage();
});

/** What depends on every weight, on the filterbank, and on the vocabulary. */
async function fingerprint(
  source: Uint8Array | AsyncIterable<Uint8Array>,
  options: Parameters<Package['loadModel']>[1] = {},
) {
  using model = await susurrus.loadModel<'whisper'>(source, { variant: 'simd', ...options });
  const samples = Float32Array.from({ length: 6400 }, (_, i) => Math.sin(i / 3) / 4);
  const mel = await model.logMel(samples);
  const states = [...(await model.encode(mel))];
  const logits = [...(await model.logits([29, 30, 32, 36]))];
  return {
    numbers: { states, logits, mel: [...mel.data] },
    text: await model.tokenizer.decode([0, 26, 1]),
    info: model.info,
  };
}

async function* pieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size)
    yield await Promise.resolve(bytes.slice(at, at + size));
}

const htkWarning =
  "the filterbank is HTK's, which a known converter wrote by mistake, and is replaced by Whisper's";

const foreignWarning =
  "the filterbank is not Whisper's, for which Whisper models are trained: the text may be wrong " +
  "(--filterbank whisper; the option filterbank: 'whisper')";

const apr2 = () => fingerprint(writeApr2(tinyWhisper()));

describe('APR1', () => {
  test('the sheet’s golden file comes out, and is inspected', async () => {
    const ascii = (text: string) => new TextEncoder().encode(text);
    // apr.md §11, G1
    const file = writeApr1({
      dims: {
        ...{ n_vocab: 51865, n_audio_ctx: 1500, n_text_ctx: 448, n_mels: 80 },
        ...{ n_audio_layer: 4, n_text_layer: 4, n_audio_head: 6, n_text_head: 6 },
        ...{ n_audio_state: 384, n_text_state: 384 },
      },
      tensors: [
        {
          ...{ name: 'encoder.conv1.bias', dims: [4] },
          stored: new Uint8Array(Float32Array.of(0, 1, -2, 0.5).buffer),
        },
      ],
      vocabulary: vocabularySection(['a', 'b', 'ab'].map(ascii), [[ascii('a'), ascii('b')]]),
      filterbank: filterbankSection(2, Float32Array.of(0, 0.5, 0, 0, 0, 0.25), 3),
    });
    expect(file.length).toBe(232);
    expect(crc32(file.subarray(0, 228))).toBe(0xeac35cce);
    const facts = await susurrus.inspect(file);
    expect(facts).toMatchObject({
      ...{ format: 'APR1', version: '1.0', flags: ['VOCABULARY', 'FILTERBANK'], byteCount: 232 },
      metadata: {
        ...{ model_type: 'tiny', quantization: 'f32', vocab: { length: 3 } },
        architecture: { n_vocab: 51865, n_text_ctx: 448, n_mels: 80, n_audio_state: 384 },
      },
      tensors: [
        {
          ...{ name: 'encoder.conv1.bias', dtype: 'f32', shape: [4] },
          ...{ offset: 0x94, size: 16, rawSize: 16 },
        },
      ],
      sections: [
        { name: 'header', offset: 0, size: 52 },
        { name: 'index', offset: 52, size: 96 },
        { name: 'tensors', offset: 0x94, size: 16 },
        { name: 'vocabulary', offset: 0xa4, size: 28 },
        { name: 'filterbank', offset: 0xc0, size: 36 },
        { name: 'crc32', offset: 0xe4, size: 4 },
      ],
    });
  });

  test('f32, raw, compressed or padded, computes what APR2 computes', async () => {
    const { numbers, text, info } = await apr2();
    const layouts: [string, Uint8Array][] = [
      ['APR1 1.0', writeApr1(tinyApr1())],
      ['APR1 1.0', writeApr1(tinyApr1(0, true))],
      ['APR1 2.0', writeApr1({ ...tinyApr1(), padded: true })],
    ];
    for (const [format, bytes] of layouts) {
      for (const source of [bytes, pieces(bytes, 1000), pieces(bytes, 61)]) {
        const found = await fingerprint(source);
        expect(found.numbers).toEqual(numbers);
        expect(found.text).toBe(text);
        expect(found.info).toMatchObject({ format, dims: info.dims, dtypes: ['f32'] });
      }
    }
  });

  test('the layout of JSON texts is inspected, and what would run it says what to do', async () => {
    const bytes = writeApr1Json({ ...tinyDims, vocab: tinyMetadata.vocab }, tinyApr1Tensors());
    expect((await susurrus.inspect(bytes)).format).toBe('APR1-JSON');
    await expect(susurrus.loadModel(bytes)).rejects.toMatchObject({
      code: 'unsupported_feature',
      message:
        'This is an APR1 model with a JSON index: upgrade it: susurrus upgrade FILE model.apr.',
      details: { reason: 'unsupported', offset: 0, subject: 'file' },
    });
  });

  test('f16 that holds the values computes the same up to rounding', async () => {
    const { numbers } = await apr2();
    const found = await fingerprint(writeApr1(tinyApr1(1)));
    expect(found.info.dtypes).toEqual(['f16']);
    found.numbers.logits.forEach((logit, i) => expect(logit).toBeCloseTo(numbers.logits[i]!, 4));
  });

  test('int8 runs, compressed or not, and is inspected with its scales', async () => {
    const raw = writeApr1(tinyApr1(2));
    const found = await fingerprint(raw);
    expect(found.info.dtypes).toEqual(['i8']);
    expect((await fingerprint(writeApr1(tinyApr1(2, true)))).numbers).toEqual(found.numbers);
    const { tensors, sections } = await susurrus.inspect(raw);
    expect(tensors[0]).toMatchObject({ dtype: 'i8', size: 32 * 80 * 3 });
    expect(tensors[0]!.scale).toBeCloseTo(0.5 / 127, 8);
    expect(sections?.map(({ name }) => name)).toContain('scales');
  });
});

describe('what public writers of APR1 do differently', () => {
  const warningsOf = async (file: Apr1File) => (await susurrus.inspect(writeApr1(file))).warnings;
  const tiny = tinyApr1();

  test('nothing is said about a sound file', async () => {
    expect(await warningsOf(tiny)).toEqual([]);
  });

  test('f32 data under quantization 1', async () => {
    expect(await warningsOf({ ...tiny, quantization: 1 })).toEqual([
      'tensors are f32 where the header says f16',
    ]);
    const { numbers } = await apr2();
    expect((await fingerprint(writeApr1({ ...tiny, quantization: 1 }))).numbers).toEqual(numbers);
  });

  test('compressed over raw data', async () => {
    expect(await warningsOf({ ...tiny, compressed: 1 })).toEqual([
      'compressed is set over raw data',
    ]);
  });

  test('a model_type that nobody knows, and the intermediate layout', async () => {
    expect(await warningsOf({ ...tiny, modelType: 99, padded: true })).toEqual([
      'an APR file of an intermediate layout, read as APR1',
      'model_type is not known',
    ]);
  });

  test('names that were cut', async () => {
    const long = 'decoder.layers.10.encoder_attn_layer_norm.weight';
    const file = {
      ...tiny,
      tensors: [{ name: long.slice(0, 47), dims: [1], stored: new Uint8Array(4) }],
    };
    const { tensors, warnings } = await susurrus.inspect(writeApr1(file));
    expect(tensors[0]!.name).toBe(long);
    expect(warnings).toEqual(['names that were cut at 47 bytes are completed']);
  });

  test('HTK’s filterbank is replaced by Whisper’s, unless the caller keeps it', async () => {
    const bytes = writeApr1({ ...tiny, filterbank: filterbankSection(80, htkFilterbank(80)) });
    const facts = await susurrus.inspect(bytes);
    expect(facts.warnings).toEqual([htkWarning]);
    expect(facts.melFilterbank).toMatchObject({ shape: [80, 201], kind: 'htk' });
    const found = await fingerprint(bytes);
    expect(found.info.warnings).toEqual([htkWarning]);
    expect(found.numbers).toEqual((await apr2()).numbers);
    const kept = await fingerprint(bytes, { filterbank: 'embedded' });
    expect(kept.info.warnings).toEqual([]);
    expect(kept.numbers.mel).not.toEqual(found.numbers.mel);
    const replaced = await fingerprint(bytes, { filterbank: 'whisper' });
    expect(replaced.info.warnings).toEqual([]);
    expect(replaced.numbers).toEqual(found.numbers);
    expect(
      await errorOf(susurrus.loadModel(bytes, { filterbank: 'htk' as 'embedded' })),
    ).toMatchObject({ code: 'invalid_argument', details: { subject: 'filterbank' } });
  });

  test('a signature behind the file', async () => {
    const bytes = Uint8Array.from([...writeApr1(tiny), ...new Uint8Array(96).fill(7)]);
    expect((await susurrus.inspect(bytes)).warnings).toEqual([
      'a signature follows the file and is not checked',
    ]);
  });

  test('the large model’s header over another one’s tensors', async () => {
    const tensors = [
      { name: 'encoder.conv1.weight', dims: [1, 128, 3], stored: new Uint8Array(4 * 384) },
      { name: 'decoder.token_embedding', dims: [51866, 1], stored: new Uint8Array(4 * 51866) },
    ];
    const dims = { ...tinyDims, n_vocab: 51865 };
    const facts = await susurrus.inspect(writeApr1({ dims, tensors, modelType: 8 }));
    expect(facts.metadata.architecture).toMatchObject({ n_vocab: 51866, n_mels: 128 });
    expect(facts.warnings).toHaveLength(2);
  });
});

describe('a filterbank of the model’s own', () => {
  const weights = ((triangles) =>
    triangles.map((weight, i) => 0.75 * weight + 0.5 * (triangles[i + 201] ?? 0)))(
    htkFilterbank(80),
  );

  test('is used by APR1 as by APR2, and dropped where Whisper’s is asked for', async () => {
    const bytes = writeApr1({ ...tinyApr1(), filterbank: filterbankSection(80, weights) });
    const metadata = {
      ...(tinyMetadata as object),
      mel_filterbank_shape: [80, 201],
      mel_filterbank: Array.from(weights, (weight) => Number(weight.toPrecision(9))),
    };
    const sibling = writeApr2({ ...tinyWhisper(), metadata });
    for (const source of [bytes, sibling]) {
      const { warnings, melFilterbank } = await susurrus.inspect(source);
      expect(warnings).toEqual([foreignWarning]);
      const firstRowSum = weights.subarray(0, 201).reduce((sum, weight) => sum + weight, 0);
      expect(melFilterbank).toEqual({
        ...{ shape: [80, 201], kind: 'other' },
        firstRowSum: expect.closeTo(firstRowSum, 5),
      });
      const verified = await susurrus.verifyModel(source);
      expect([verified.valid, verified.warnings]).toEqual([true, [foreignWarning]]);
    }
    const found = await fingerprint(bytes);
    expect(found.info.warnings).toEqual([foreignWarning]);
    const kept = await fingerprint(bytes, { filterbank: 'embedded' });
    expect(kept.info.warnings).toEqual([]);
    expect(kept.numbers).toEqual(found.numbers);
    const whispers = (await apr2()).numbers;
    expect(found.numbers.mel).not.toEqual(whispers.mel);
    expect(found.numbers).toEqual((await fingerprint(sibling)).numbers);
    for (const file of [bytes, sibling]) {
      expect((await fingerprint(file, { filterbank: 'whisper' })).numbers).toEqual(whispers);
      expect((await fingerprint(file, { filterbank: 'embedded' })).numbers).toEqual(found.numbers);
    }
  });
});

describe('a vocabulary that the caller gives', () => {
  const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64') || '=';
  const ranks = (tokens: readonly Uint8Array[]) =>
    new TextEncoder().encode(tokens.map((token, id) => `${base64(token)} ${id}\n`).join(''));
  const upper = tinyTokens.map((token, id) => (id < 26 ? Uint8Array.of(token[0]! - 32) : token));

  test('takes the place of the file’s, as bytes, Blob and buffer', async () => {
    const bytes = ranks(upper);
    const given = [bytes, new Blob([bytes]), bytes.slice().buffer];
    for (const source of [writeApr1(tinyApr1()), writeApr2(tinyWhisper())]) {
      expect((await fingerprint(source)).text).toBe('a ab');
      for (const vocabulary of given) {
        expect((await fingerprint(source, { vocabulary })).text).toBe('A aB');
      }
    }
  });

  test('makes a model usable whose file has none', async () => {
    const bytes = writeApr1({ ...tinyApr1(), vocabulary: undefined });
    expect(await errorOf(susurrus.loadModel(bytes))).toMatchObject({ code: 'malformed' });
    const found = await fingerprint(bytes, {
      vocabulary: ranks([...upper, new Uint8Array(), upper[0]!]),
    });
    expect(found.text).toBe('A aB');
    expect(found.info.warnings).toEqual([]);
  });

  test('is asked for where the file’s was decoded wrongly', async () => {
    const tokens = Array.from({ length: 50257 }, () => Uint8Array.of(0x78));
    const dims = { ...tinyDims, n_vocab: 51865 };
    const facts = await susurrus.inspect(
      writeApr1({ ...tinyApr1(), dims, vocabulary: vocabularySection(tokens) }),
    );
    expect(facts.warnings.join()).toContain('--vocabulary FILE');
    expect(facts.metadata).not.toHaveProperty('vocab');
  });

  test.each([
    ['text that is no rank file', new TextEncoder().encode('hello\n')],
    ['nothing', new Uint8Array()],
    ['an id without end', new TextEncoder().encode('YQ== 99999999999\n')],
    ['no base64', new TextEncoder().encode('*** 1\n')],
  ])('is refused: %s', async (_, vocabulary) => {
    expect(await errorOf(susurrus.loadModel(writeApr1(tinyApr1()), { vocabulary }))).toMatchObject({
      code: 'malformed',
      details: { reason: 'bad_vocabulary', subject: 'vocabulary' },
    });
  });

  test('must be a rank file’s bytes or address', async () => {
    const vocabulary = 5 as unknown as string;
    expect(await errorOf(susurrus.loadModel('digits', { vocabulary }))).toMatchObject({
      code: 'invalid_argument',
      details: { subject: 'vocabulary' },
    });
  });
});
