import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { sharedJson, type GoldenModel } from '../support/goldens.js';
import { describeOnEngines, loadOn, type ConformanceModel } from '../support/goldens_engines.js';
import { Driver } from '../support/goldens_native.js';
import { testModel } from '../support/goldens_models.js';

interface EncodeGolden {
  readonly text: string;
  readonly gpt2: readonly number[];
  readonly multilingual: readonly number[];
}
interface DecodeTokensGolden {
  readonly vocab: 'gpt2' | 'multilingual';
  readonly tokens: readonly number[];
  readonly text: string;
}
interface WordsGolden {
  readonly vocab: 'gpt2' | 'multilingual';
  readonly num_languages: 99 | 100;
  readonly language: string | null;
  readonly function?: string;
  readonly tokens: readonly number[];
  readonly words: readonly string[];
  readonly word_tokens: readonly (readonly number[])[];
}
interface SpecialGolden {
  readonly eot: number;
  readonly sot: number;
  readonly translate: number;
  readonly transcribe: number;
  readonly sot_lm: number;
  readonly sot_prev: number;
  readonly no_speech: number;
  readonly no_timestamps: number;
  readonly timestamp_begin: number;
  readonly languages: Readonly<Record<string, number>>;
  readonly non_speech_tokens: readonly number[];
}

// decode.json speaks of the vocabulary of 99 languages.
const vocabularies: {
  model: GoldenModel;
  vocab: 'gpt2' | 'multilingual';
  special: string;
  hasDecode: boolean;
}[] = [
  { model: 'micro-en', vocab: 'gpt2', special: 'gpt2', hasDecode: true },
  { model: 'micro', vocab: 'multilingual', special: 'multilingual_99', hasDecode: true },
  { model: 'micro-v3-turbo', vocab: 'multilingual', special: 'multilingual_100', hasDecode: false },
];

describeOnEngines(['golden'], 'tokenizer', (engine) => {
  describe.each(vocabularies)('$special', ({ model: name, vocab, special, hasDecode }) => {
    let model: ConformanceModel;
    beforeAll(async () => {
      model = await loadOn(engine, await testModel(name));
    });
    afterAll(() => model.dispose());

    test('encodes', async () => {
      const goldens = sharedJson('golden/tokenizer/encode.json') as EncodeGolden[];
      const wrong = [];
      for (const golden of goldens) {
        const ids = await model.encodeText(golden.text);
        if (JSON.stringify(ids) !== JSON.stringify(golden[vocab])) wrong.push({ ...golden, ids });
      }
      expect(wrong).toEqual([]);
    });

    if (hasDecode) {
      test('decodes', async () => {
        const goldens = sharedJson('golden/tokenizer/decode.json') as DecodeTokensGolden[];
        const wrong = [];
        for (const golden of goldens.filter((each) => each.vocab === vocab)) {
          const text = await model.decodeTokens(golden.tokens);
          if (text !== golden.text) wrong.push({ ...golden, actual: text });
        }
        expect(wrong).toEqual([]);
      });
    }

    test('finds the control tokens', async () => {
      const all = sharedJson('golden/tokenizer/special.json') as Record<string, SpecialGolden>;
      const golden = all[special]!;
      expect(await model.special()).toMatchObject({
        endOfText: golden.eot,
        startOfTranscript: golden.sot,
        translate: golden.translate,
        transcribe: golden.transcribe,
        startOfLm: golden.sot_lm,
        startOfPrevious: golden.sot_prev,
        noSpeech: golden.no_speech,
        noTimestamps: golden.no_timestamps,
        timestampBegin: golden.timestamp_begin,
        languages: golden.languages,
        // The package keeps this list to itself.
        ...(engine === 'native' ? { nonSpeech: golden.non_speech_tokens } : {}),
      });
    });
  });
});

// The package keeps the cut into words to itself.
describeOnEngines(
  ['golden'],
  'words',
  () => {
    const goldens = sharedJson('golden/tokenizer/words.json') as WordsGolden[];

    test.each([
      ['micro-en', 'gpt2', 99],
      ['micro', 'multilingual', 99],
      ['micro-v3-turbo', 'multilingual', 100],
    ] as const)('of the vocabulary of %s', async (name, vocab, languages) => {
      const driver = new Driver();
      try {
        await driver.ask('load', { path: await testModel(name) });
        const own = goldens.filter(
          (each) => each.vocab === vocab && each.num_languages === languages,
        );
        expect(own).not.toEqual([]);
        for (const golden of own) {
          const { tokens } = golden;
          // The cut at characters is that of a language without spaces.
          const isByCharacter = golden.function === 'split_tokens_on_unicode';
          const language = isByCharacter ? 'zh' : (golden.language ?? '');
          const { words } = await driver.ask('split_words', { tokens, language });
          expect(words).toEqual(
            golden.words.map((word, i) => ({ word, tokens: golden.word_tokens[i] })),
          );
        }
      } finally {
        driver.stop();
      }
    });
  },
  ['native'],
);
