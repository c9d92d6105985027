// The command line on a package that only says how it was called: which option of the API each flag becomes, and where
// transcripts go. What the package then does is command.test.ts's business.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type * as CommandTable from '../../web/cli/commands.js';
import type * as Help from '../../web/cli/help.js';
import type { Inspection, Word } from '../../web/src/api/types.js';
import { invalidOption, SusurrusError } from '../../web/src/api/errors.js';
import { languageCount } from '../../web/cli/language_name.js';
import { linesWithWords } from '../../web/cli/text_lines.js';
import { safe, takesColors } from '../../web/cli/terminal.js';
import { textLines } from '../../web/cli/text_output.js';
import { asUsageError } from '../../web/cli/usage_error.js';
import { bundleCommand, bundleWithFakePackage, runCommand } from '../support/fake_cli.js';
import type { CommandOutcome } from '../support/fake_cli.js';
import { projectRoot } from '../support/shared_folder.js';

const folder = mkdtempSync(join(tmpdir(), 'susurrus-cli-options-'));
const audio = join(folder, 'talk.one.wav');
const output = join(folder, 'output', 'new');

let command: string;
beforeAll(async () => {
  command = await bundleCommand(folder);
  writeFileSync(audio, 'sound');
});

beforeEach(() => {
  rmSync(join(folder, 'output'), { recursive: true, force: true });
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const run = (...args: string[]): Promise<CommandOutcome> => runCommand(command, args);

/** The options that transcribe() gets for these arguments. */
async function optionsFor(...args: string[]): Promise<unknown> {
  const { status, stderr, calls } = await run('transcribe', audio, ...args);
  if (status !== 0) throw new Error(stderr);
  return calls.find(([name]) => name === 'transcribe')?.[2];
}

describe('options of transcribe', () => {
  test('without any there are none', async () => {
    expect(await optionsFor()).toEqual({});
  });

  test("whether silence is left out is the API's to say, unless a flag does", async () => {
    expect(await optionsFor('--no-vad')).toEqual({ vad: false });
    expect(await optionsFor('--vad_filter', 'False')).toEqual({ vad: false });
    expect(await optionsFor('--compatibility', 'openai', '--vad')).toEqual({
      compatibility: 'openai',
      vad: true,
    });
  });

  const all = [
    ...['--task', 'translate', '--language', 'per-window', '--languages', 'en, de'],
    ...[
      '--script',
      'traditional',
      '--min-language-probability',
      '0.7',
      '--initial-prompt',
      'A talk.',
    ],
    ...['--carry-initial-prompt', '--prefix', 'So', '--condition-on-previous-text', 'false'],
    ...['--timestamps', 'word', '--prepend-punctuations', '(', '--append-punctuations', ')'],
    ...['--compatibility', 'openai', '--max-initial-timestamp', '2', '--temperature', '0,0.4'],
    ...['--best-of', '3', '--beam-size', '5', '--patience', '1.5', '--length-penalty', '0.6'],
    ...['--suppress-tokens', '-1,7', '--suppress-blank', 'false', '--sample-length', '100'],
    ...['--compression-ratio-threshold', '2', '--logprob-threshold', '-0.5'],
    ...['--no-speech-threshold', '0.5', '--clip-timestamps', '0,5,7.5', '--seed', '9'],
    ...['--hallucination-silence-threshold', '2', '--normalization', 'window'],
    ...['--hotword', 'Susurrus=7.5', '--hotword', 'a=b', '--allowed', 'yes', '--allowed', 'no'],
    ...['--no-break-loops', '--encoder-context', 'auto'],
  ];

  test('all become options of the API', async () => {
    const options = await optionsFor(...all);
    expect(options).toEqual({
      task: 'translate',
      language: 'per-window',
      languages: ['en', 'de'],
      script: 'traditional',
      minLanguageProbability: 0.7,
      initialPrompt: 'A talk.',
      carryInitialPrompt: true,
      prefix: 'So',
      conditionOnPreviousText: false,
      timestamps: 'word',
      prependPunctuations: '(',
      appendPunctuations: ')',
      compatibility: 'openai',
      maxInitialTimestamp: 2,
      temperature: [0, 0.4],
      bestOf: 3,
      beamSize: 5,
      patience: 1.5,
      lengthPenalty: 0.6,
      suppressTokens: [-1, 7],
      suppressBlank: false,
      sampleLength: 100,
      compressionRatioThreshold: 2,
      logprobThreshold: -0.5,
      noSpeechThreshold: 0.5,
      clipTimestamps: [0, 5, 7.5],
      seed: 9,
      hallucinationSilenceThreshold: 2,
      normalization: 'window',
      hotwords: [{ text: 'Susurrus', weight: 7.5 }, { text: 'a=b' }],
      allowed: ['yes', 'no'],
      breakLoops: false,
      encoderContext: 'auto',
    });
  });

  test('may be spelled as the reference’s command has them', async () => {
    const options = await optionsFor(
      ...['--beam_size', '5', '--logprob_threshold', '-1.0', '--suppress_tokens', '-1'],
      ...['--carry_initial_prompt', 'False', '--condition_on_previous_text', 'True'],
      ...['--compression_ratio_threshold', 'None', '--best_of=None', '--initial_prompt', 'a_b'],
      ...['--language', 'German', '--languages', 'Haitian Creole, en'],
    );
    expect(options).toEqual({
      beamSize: 5,
      logprobThreshold: -1,
      suppressTokens: -1,
      conditionOnPreviousText: true,
      compressionRatioThreshold: null,
      bestOf: null,
      initialPrompt: 'a_b',
      // What a language is called, the API knows.
      language: 'German',
      languages: ['Haitian Creole', 'en'],
    });
  });

  test('may have the names that other Whisper commands give them', async () => {
    const flags = ['--output_format', 'srt', '--output_dir', output, '--word_timestamps', 'True'];
    const options = await optionsFor(...flags);
    expect(options).toEqual({ timestamps: 'word' });
    expect(readdirSync(output)).toEqual(['talk.one.srt']);
    expect(await optionsFor('--word_timestamps=False', '--vad-filter=True')).toEqual({
      vad: true,
    });
    // The name of another command's flag may be a file behind --.
    const { calls } = await run('score', audio, '--', '--model_dir', '--fp16');
    expect(calls[1]?.[2]).toEqual(['--model_dir', '--fp16']);
    const listed = await run('inspect', audio, '--fp16', 'False');
    expect([listed.status, listed.stderr]).toEqual([64, expect.stringMatching(/'--fp16'/)]);
  });

  test('--workers is a number of engines, or auto', async () => {
    expect(await optionsFor('--workers', '3')).toEqual({ workers: 3 });
    expect(await optionsFor('--workers=auto')).toEqual({ workers: 'auto' });
  });

  test.each([
    // Which recordings are under way at once shows in the number of models, and of engines for each.
    [['--jobs', '1'], 1, [1]],
    [['--jobs', '3'], 1, [3]],
    [['--jobs', '16'], 1, [16]],
    // A model has no more than 16. The third recording goes to the one that is free first.
    [['--jobs', '17'], 2, [8, 9]],
    [['--jobs', '256'], 3, [16]],
    [['--jobs', '2', '--workers', 'auto'], 1, ['auto']],
    // A model for each, whose engines are no more than a recording may have.
    [['--jobs', '9', '--workers', '1'], 3, [1]],
    [['--jobs', '4', '--workers', '2'], 2, [2]],
    // What is heard in sequence shares no engine.
    [['--jobs', '2', '--no-vad'], 2, [1]],
    [['--jobs', '2', '--compatibility', 'openai'], 2, [1]],
    [['--jobs', '9', '--condition-on-previous-text', 'true'], 3, [3]],
    [['--workers', '2'], 1, [2]],
    [[], 1, [undefined]],
  ])('%j: models for three recordings: %j, and engines: %j', async (args, models, workers) => {
    const names = ['1', '2', '3'].map((name) => join(folder, `${name}.wav`));
    for (const name of names) writeFileSync(name, 'sound');
    const { status, calls } = await run('transcribe', ...names, ...args);
    expect(status).toBe(0);
    const called = (wanted: string) => calls.filter(([name]) => name === wanted);
    expect([called('loadModel'), called('dispose')].map(({ length }) => length)).toEqual([
      ...[models, models],
    ]);
    const heard = called('transcribe');
    expect(heard.map(([, file]) => file).sort()).toEqual(names);
    const engines = heard.map(([, , options]) => (options as { workers?: unknown }).workers);
    expect(new Set(engines)).toEqual(new Set<unknown>(workers));
  });

  test('--jobs: where a model fails, one recording has failed; another model has the others', async () => {
    const texts = { a: 'waits', b: 'sound', c: 'poison', d: 'sound', e: 'waits', f: 'poison' };
    const files = Object.entries(texts).map(([name, text]) => {
      const file = join(folder, `${name}.wav`);
      writeFileSync(file, text);
      return file;
    });
    const { status, stderr, calls } = await run(
      ...['transcribe', ...files, '--jobs', '3', '--output-dir', output],
    );
    expect(status).toBe(9);
    expect(readdirSync(output).sort()).toEqual(['a.txt', 'b.txt', 'd.txt', 'e.txt']);
    const failed = stderr.match(/^susurrus: .*\[\w+\]$/gm);
    expect(failed).toEqual([
      `susurrus: ${files[2]}: The engine failed [internal_error]`,
      `susurrus: ${files[5]}: The engine failed [internal_error]`,
    ]);
    const named = calls.map(([name]) => name);
    const loads = named.filter((name) => name === 'loadModel').length;
    expect(loads).toBeGreaterThan(1);
    expect(named.filter((name) => name === 'dispose')).toHaveLength(loads);
    // Those of one model are told once.
    expect(stderr.match(/a warning/g)).toHaveLength(1);
  });

  test('--jobs counts the recordings that --skip-existing leaves', async () => {
    const other = join(folder, 'talk.two.wav');
    writeFileSync(other, 'sound');
    await run('transcribe', audio, '--output-dir', output);
    const { calls } = await run(
      ...['transcribe', audio, other, '--output-dir', output, '--skip-existing', '--jobs', '4'],
    );
    expect(calls.filter(([name]) => name === 'transcribe')).toEqual([
      ['transcribe', other, { workers: 4 }],
    ]);
  });

  test.each([
    [['0.2'], { temperature: [0, 0.2, 0.4, 0.6, 0.8, 1] }],
    [['0.3', '--temperature', '0.2'], { temperature: [0.2, 0.5, 0.8] }],
    [['0.5', '--temperature', '1'], { temperature: 1 }],
    [['None'], { temperature: 0 }],
  ])('--temperature_increment_on_fallback %j is a list of temperatures', async (args, options) => {
    expect(await optionsFor('--temperature_increment_on_fallback', ...args)).toEqual(options);
  });

  test('flags for other engines are ignored, which is said once', async () => {
    const { status, stdout, stderr, calls } = await run(
      ...['transcribe', audio, '--fp16', 'False', '--device', 'cuda', '--device=cpu'],
    );
    expect([status, stdout]).toEqual([0, 'Hallo Welt.\n']);
    expect(calls[1]).toEqual(['transcribe', audio, {}]);
    expect(stderr.match(/^susurrus: ignored: --fp16, --device \(/gm)).toHaveLength(1);
  });

  test('an audio context is a word or a number', async () => {
    expect(await optionsFor('--encoder-context', '500')).toEqual({ encoderContext: 500 });
    expect(await optionsFor('--encoder_context=full')).toEqual({ encoderContext: 'full' });
    const { calls } = await run('detect-language', audio, '--encoder-context', '750');
    expect(calls[1]).toEqual(['detectLanguage', audio, { encoderContext: 750 }]);
  });

  test('can suppress nothing', async () => {
    expect(await optionsFor('--suppress-tokens', '')).toEqual({ suppressTokens: [] });
    expect(await optionsFor('--suppress-tokens', 'none')).toEqual({ suppressTokens: null });
  });

  test.each([
    ['no number', ['--beam-size', 'five'], /--beam-size is a number, not 'five'/],
    ['nothing', ['--seed', ''], /--seed is a number, not ''/],
    ['workers without a number', ['--workers', 'all'], /--workers is a number, not 'all'/],
    ['the same, beside others', ['--workers', '', '--jobs', '2'], /--workers is a number, not ''/],
    ['no list', ['--clip-timestamps', '1,x'], /--clip-timestamps is a number, not 'x'/],
    ['a folder for models', ['--model_dir', 'x'], /no --model-dir: .*XDG_CACHE_HOME/],
    ['no truth for a flag', ['--word_timestamps=maybe'], /is true or false, not 'maybe'/],
    ['no step', ['--temperature_increment_on_fallback', '0'], /above 0 or none, not '0'/],
    [
      'a step for a list',
      ['--temperature', '0,1', '--temperature_increment_on_fallback', '0.2'],
      /needs one --temperature, not the list '0,1'/,
    ],
    ['no truth', ['--suppress-blank', 'maybe'], /--suppress-blank is true or false/],
    ['an unknown format', ['--format', 'txt,docx'], /verbose_json, all, not 'docx'/],
    ['formats without a folder', ['--format', 'srt,vtt'], /several formats need --output-dir/],
    ['limits without words', ['--max-line-width', '42'], /need --timestamps word/],
    ['highlighting without words', ['--highlight-words'], /need --timestamps word/],
    ['srt of two', [audio, '--format', 'srt'], /several recordings as srt need --output-dir/],
    ['one name twice', [audio, '--output-dir', output], /would be written as '.*talk\.one\.txt'/],
    [
      'names that differ in case only',
      ['b/TALK.One.wav', '--output-dir', output],
      /written as '.*talk\.one\.txt' and '.*TALK\.One\.txt', which many file systems take for one/,
    ],
    [
      'names that formats make one',
      ['talk.one.verbose.wav', '--output-dir', output, '--format', 'all'],
      /would be written as '.*talk\.one\.verbose\.json'/,
    ],
  ])('%s fails before the model is loaded', async (_, args, says) => {
    const { status, stdout, stderr, calls } = await run('transcribe', audio, ...args);
    expect([status, stdout, calls]).toEqual([64, '', []]);
    expect(stderr).toMatch(/^susurrus: [^\n]+\n$/);
    expect(stderr).toMatch(says);
  });

  test('what the package says about an option is a usage error with the flag’s name', async () => {
    const width = ['--timestamps', 'word', '--max-line-width', '0'];
    const { status, stderr } = await run('transcribe', audio, ...width);
    expect([status, stderr]).toEqual([
      64,
      expect.stringMatching(
        /^susurrus: --max-line-width must be .* \(susurrus transcribe --help\)\n$/,
      ),
    ]);
  });

  test.each([
    [
      'patience',
      'null without beamSize',
      'null',
      '--patience must be none without --beam-size; it is "null"',
    ],
    ['breakLoops', 'true', false, '--no-break-loops must be true; it is false'],
    [
      'hotwords[1].weight',
      'from -20 to 20',
      30,
      '--hotword[1].weight must be from -20 to 20; it is 30',
    ],
    ['languageModel', 'absent', 1, '--lm must be absent; it is 1'],
    ['shardSize', 'more', 1, '--size must be more; it is 1'],
  ])('an error about %s has the name of its flag', (subject, expected, got, message) => {
    const options = {
      patience: 1,
      'beam-size': 1,
      'no-break-loops': 1,
      hotword: 1,
      lm: 1,
      size: 1,
    };
    expect(asUsageError(invalidOption(subject, expected, got), options)).toMatchObject({ message });
  });

  test('errors about anything else stay as they are', () => {
    const options = { force: 1, 'beam-size': 1 };
    for (const error of [
      ...[invalidOption('force', 'true', false), invalidOption('candidates', 'texts', 1)],
      new SusurrusError('malformed', 'beamSize', { subject: 'beamSize' }),
      ...[new Error('mine'), 'enough'],
    ]) {
      expect(asUsageError(error, options)).toBe(error);
    }
  });

  test('have one letter where they are used most', async () => {
    const { stdout, stderr, calls } = await run(
      ...['transcribe', audio, '-m', 'base.apr', '-l', 'German', '-t', 'word', '-f', 'srt'],
      ...['-vo', output],
    );
    expect(stdout).toBe('');
    expect(calls[0]).toEqual(['loadModel', 'base.apr', { threads: 'auto' }]);
    expect(calls[1]?.[2]).toEqual({ language: 'German', timestamps: 'word' });
    expect(readdirSync(output)).toEqual(['talk.one.srt']);
    expect(stderr).toContain(`wrote ${join(output, 'talk.one.srt')}\n`);
  });

  test('-q leaves errors alone on stderr', async () => {
    const other = join(folder, 'other.wav');
    writeFileSync(other, '');
    const own = ({ stderr }: CommandOutcome): string[] =>
      stderr.split('\n').filter((line) => line !== '' && !line.startsWith('['));
    const plain = await run('transcribe', audio, other, '--fp16', 'False');
    expect(own(plain).length).toBeGreaterThan(2);
    const quiet = await run('transcribe', audio, other, '-q', '--fp16', 'False');
    expect([quiet.status, quiet.stdout, own(quiet)]).toEqual([0, plain.stdout, []]);
    writeFileSync(other, 'bad');
    const failed = await run('transcribe', audio, other, '--quiet');
    expect([failed.status, own(failed)]).toEqual([
      1,
      [expect.stringMatching(/^susurrus: .*other\.wav: no audio file \[malformed\]$/)],
    ]);
    for (const flag of ['--verbose', '--stats']) {
      const both = await run('transcribe', audio, '-q', flag);
      expect([both.status, both.stderr]).toEqual([64, expect.stringMatching(/exclude each other/)]);
    }
  });

  test('model and engine go to loadModel', async () => {
    const { calls, stderr } = await run(
      ...['transcribe', audio, '--model', 'base.apr', '--variant', 'relaxed'],
    );
    expect(calls[0]).toEqual(['loadModel', 'base.apr', { variant: 'relaxed', threads: 'auto' }]);
    expect(calls[1]).toEqual(['transcribe', audio, {}]);
    expect(calls.at(-1)).toEqual(['dispose']);
    expect(stderr).toContain('susurrus: a warning\n');
  });
});

describe('help', () => {
  let commands: typeof CommandTable.commands;
  let helpOf: typeof Help.helpOf;
  beforeAll(async () => {
    const entry = join(folder, 'commands.mjs');
    const contents = `export * from './commands.js'; export * from './help.js';`;
    const resolveDir = join(projectRoot, 'web/cli');
    await bundleWithFakePackage({ stdin: { contents, resolveDir }, outfile: entry });
    ({ commands, helpOf } = (await import(entry)) as typeof CommandTable & typeof Help);
  });

  test('of each command has its options and two examples, at most 100 columns wide', () => {
    expect(Object.keys(commands)).toHaveLength(21);
    for (const [name, command] of Object.entries(commands)) {
      const stdout = helpOf(name, command.help);
      const options = [...Object.keys(command.options), 'quiet', 'help'];
      expect(stdout).toMatch(new RegExp(`^susurrus ${name}: .*\n\nUsage: susurrus ${name} `));
      expect(stdout.split('\n').filter((line) => line.length > 100)).toEqual([]);
      expect(stdout).not.toMatch(/[`{}]|undefined/);
      const listed = [...stdout.matchAll(/^(?: {6}| {2}-\w, )--([\w-]+)(?:, --([\w-]+))?/gm)]
        .flatMap(([, ...names]) => names)
        .filter(Boolean);
      expect([name, options.filter((each) => !listed.includes(each))]).toEqual([name, []]);
      // Each stands there once, --beam-size of two kinds of models too.
      expect([name, listed.length]).toEqual([name, new Set(listed).size]);
      for (const example of command.help.examples) {
        expect(stdout).toContain(`\n  susurrus ${example}\n`);
        const flags = [...example.matchAll(/--([\w-]+)/g)].map(([, flag]) => flag);
        expect([example, flags.filter((flag) => !options.includes(flag!))]).toEqual([example, []]);
      }
    }
  });

  test('alone lists the commands, and is what a bare call prints', async () => {
    const bare = await run();
    expect([bare.status, bare.stderr]).toEqual([0, '']);
    expect(bare.stdout.split('\n').filter((line) => line.length > 100)).toEqual([]);
    for (const name of Object.keys(commands)) {
      expect(bare.stdout).toMatch(new RegExp(`^  ${name} +\\w.*$`, 'm'));
    }
    expect(bare.stdout).toContain('susurrus COMMAND --help');
    for (const args of [['--help'], ['-h'], ['help']]) expect(await run(...args)).toEqual(bare);
  });

  test('is asked for in several ways, but not behind --', async () => {
    const help = await run('plan', '--help');
    expect(help.stdout).toBe(helpOf('plan', commands.plan!.help));
    for (const args of [
      ['help', 'plan'],
      ['--help', 'plan'],
      ['plan', '-h'],
    ]) {
      expect(await run(...args)).toEqual(help);
    }
    const { calls } = await run('score', audio, '--', '-h');
    expect(calls[1]?.[2]).toEqual(['-h']);
    const unknown = await run('help', 'transcirbe');
    expect(unknown).toMatchObject({ status: 64, stdout: '' });
    expect(unknown.stderr).toMatch(/did you mean transcribe\?/);
  });
});

describe('the transcript', () => {
  test('is text on stdout by default', async () => {
    expect((await run('transcribe', audio)).stdout).toBe('Hallo Welt.\n');
  });

  test('is one format on stdout, with that format’s options', async () => {
    const { stdout } = await run(
      ...['transcribe', audio, '--timestamps', 'word', '--format', 'srt'],
      ...['--max-line-width', '8', '--highlight-words', 'False'],
    );
    expect(stdout).toBe('1\n00:00:30,000 --> 00:00:31,500\nHallo\nWelt.\n\n');
    const { stdout: verbose } = await run(
      ...['transcribe', audio, '--format', 'verbose_json', '--task', 'translate'],
    );
    expect(JSON.parse(verbose)).toMatchObject({ task: 'translate', language: 'english' });
  });

  test('has directional marks, but not where it is to be the reference’s', async () => {
    const hebrew = ['transcribe', audio, '--language', 'he', '--format', 'srt'];
    expect((await run(...hebrew)).stdout).toContain('\nשלום!\u200F\n\u202Bהיא iOS.\u202C\n');
    const exact = await run(...hebrew, '--compatibility', 'openai');
    expect(exact.stdout).toContain('\nשלום!\nהיא iOS.\n');
  });

  test('is a file for each format in a folder, whole or not at all', async () => {
    const { status, stdout, stderr } = await run(
      ...['transcribe', audio, '--format', 'all', '--output-dir', output, '--verbose'],
    );
    expect([status, stdout]).toEqual([0, '']);
    const names = ['csv', 'json', 'lrc', 'srt', 'tsv', 'txt', 'verbose.json', 'vtt'];
    expect(readdirSync(output).sort()).toEqual(names.map((name) => `talk.one.${name}`));
    expect(readFileSync(join(output, 'talk.one.txt'), 'utf8')).toBe('Hallo Welt.\n');
    expect(stderr).toContain(`wrote ${join(output, 'talk.one.srt')}\n`);
  });

  test('leaves nothing half written', async () => {
    mkdirSync(join(output, 'talk.one.srt'), { recursive: true });
    const { status, stderr } = await run(
      ...['transcribe', audio, '--format', 'txt,srt', '--output-dir', output],
    );
    expect(status).toBe(6);
    expect(stderr).toMatch(/susurrus: .*talk\.one\.srt: this is a folder/);
    expect(readdirSync(output)).toEqual(['talk.one.srt']);
  });

  test('has the times of its lines on stdout where they are asked for', async () => {
    const timed = '[00:30.000 → 00:31.500] Hallo Welt.\n';
    for (const [args, kind] of [
      [['--timestamps', audio], 'segment'],
      [['-t', audio], 'segment'],
      [['-qt', audio, '--no-vad'], 'segment'],
      [[audio, '--timestamps', 'word'], 'word'],
    ] as const) {
      const { stdout, calls } = await run('transcribe', ...args);
      expect([args, stdout]).toEqual([args, timed]);
      expect(calls[1]).toEqual([
        'transcribe',
        audio,
        expect.objectContaining({ timestamps: kind }),
      ]);
    }
    const none = await run('transcribe', '--timestamps', 'none', audio);
    expect(none.stdout).toBe('Hallo Welt.\n');
    // Files have what their formats have.
    await run('transcribe', audio, '-o', output, '-f', 'txt,srt', '-t');
    expect(readFileSync(join(output, 'talk.one.txt'), 'utf8')).toBe('Hallo Welt.\n');
    const misspelt = await run('transcribe', audio, '--timestamps=wrod');
    expect(misspelt.calls[1]?.[2]).toMatchObject({ timestamps: 'wrod' });
  });

  test('has colours on demand, on a terminal or where FORCE_COLOR is set', async () => {
    const args = ['transcribe', audio, '--colors', '-t', 'word'];
    const env = { ...process.env };
    delete env.NO_COLOR;
    delete env.FORCE_COLOR;
    const times = '[00:30.000 → 00:31.500] ';
    expect((await runCommand(command, args, { env })).stdout).toBe(`${times}Hallo Welt.\n`);
    const forced = await runCommand(command, args, { env: { ...env, FORCE_COLOR: '1' } });
    expect(forced.stdout).toBe(`${times}\x1b[33mHallo\x1b[39m Welt.\n`);
    for (const where of [
      ['-f', 'srt'],
      ['-o', output],
    ]) {
      const { status, stderr } = await run('transcribe', audio, '--colors', ...where);
      expect([status, stderr]).toEqual([
        64,
        expect.stringMatching(/--colors needs text on stdout/),
      ]);
    }
  });

  test('of several recordings is text or a JSON array on stdout, or files', async () => {
    const other = join(folder, 'other.wav');
    writeFileSync(other, '');
    const text = await run('transcribe', audio, other);
    expect(text.stdout).toBe('Hallo Welt.\nHallo Welt.\n');
    expect(text.stderr).toContain(`${other}\n`);
    const json = await run('transcribe', audio, other, '--format', 'json');
    const transcripts = JSON.parse(json.stdout) as { file: string; text: string }[];
    expect(transcripts.map(({ file }) => file)).toEqual([audio, other]);
    expect(transcripts[1]).toMatchObject({ text: ' Hallo Welt.', language: 'de' });
    await run('transcribe', audio, other, '--format', 'srt', '--output-dir', output);
    expect(readdirSync(output).sort()).toEqual(['other.srt', 'talk.one.srt']);
  });

  test('of several recordings comes without those that fail, which are told', async () => {
    const [bad, absent] = [join(folder, 'bad.wav'), join(folder, 'absent.wav')];
    writeFileSync(bad, 'bad');
    const failures = [
      /^susurrus: .*bad\.wav: no audio file \[malformed\]$/m,
      /absent\.wav: there is/,
    ];
    const json = await run('transcribe', bad, audio, absent, audio, '--format', 'json');
    expect(json.status).toBe(1);
    for (const failure of failures) expect(json.stderr).toMatch(failure);
    const transcripts = JSON.parse(json.stdout) as { file: string; text: string }[];
    expect(transcripts.map(({ file }) => file)).toEqual([audio, audio]);
    // The status is that of the first failure.
    const text = await run('transcribe', absent, audio, bad);
    expect([text.status, text.stdout]).toEqual([6, 'Hallo Welt.\n']);
    const none = await run('transcribe', absent, bad, '--format', 'json');
    expect([none.status, JSON.parse(none.stdout)]).toEqual([6, []]);
    await run('transcribe', bad, audio, '--format', 'srt', '--output-dir', output);
    expect(readdirSync(output)).toEqual(['talk.one.srt']);
    const languages = await run('detect-language', bad, audio);
    expect(languages.status).toBe(1);
    expect(languages.stdout).toMatch(/^.*talk\.one\.wav\n {2}de {2}German /);
  });

  test('comes with the language that was detected, on stderr', async () => {
    const said = `${audio}: detected language: German (0.87)\n`;
    for (const args of [[], ['--verbose'], ['-f', 'json'], ['--language', 'auto']]) {
      const { stdout, stderr } = await run('transcribe', audio, ...args);
      expect(stderr.split(said)).toHaveLength(2);
      expect(stdout).not.toContain('German');
    }
    const other = join(folder, 'other.wav');
    writeFileSync(other, '');
    const { stderr } = await run(
      'transcribe',
      audio,
      other,
      '--jobs',
      '1',
      '-o',
      output,
      '--language',
      'per-window',
    );
    expect(stderr).toContain(said);
    expect(stderr).toContain(`${other}: detected language: German (0.87)\n`);
    for (const args of [['--quiet'], ['--language', 'de']]) {
      expect((await run('transcribe', audio, ...args)).stderr).not.toContain('German');
    }
  });

  test('comes with what was dropped, and why, on demand', async () => {
    const dropped =
      'susurrus: 40.00–50.00 s: dropped:no-speech ' +
      '(no-speech probability 0.88, mean log probability -1.25): "Danke."\n';
    const retried =
      'susurrus: window at 30.00 s: 2 attempts: 0 retried:log-probability, 0.2 kept\n';
    const plain = await run('transcribe', audio);
    expect(plain.stderr).not.toContain('dropped');
    const stats = await run('transcribe', audio, '--stats');
    expect(stats.stderr).toContain(dropped);
    expect(stats.stderr).not.toContain(retried);
    expect(stats.stderr).toMatch(/real-time factor .* engine simd/);
    const verbose = await run('transcribe', audio, '--verbose');
    expect(verbose.stderr).toContain(dropped + retried);
  });
});

describe('other commands', () => {
  test('detect-language prints the five most probable languages by name, or all', async () => {
    const { stdout, calls } = await run('detect-language', audio, '--languages', 'de,en');
    const five = [
      '  de  German          75.0 %',
      '  ht  Haitian Creole  12.5 %',
      '  en  English          3.1 %',
      '  nl  Dutch            3.1 %',
      '  fr  French           3.1 %',
    ];
    const text = `${five.join('\n')}\n`;
    expect(stdout).toBe(text);
    const two = await run('detect-language', audio, audio);
    expect(two.stdout).toBe(`${audio}\n${text}\n${audio}\n${text}`);
    const all = await run('detect-language', audio, '--all');
    expect(all.stdout).toMatch(/French +3\.1 %\n {2}lb {2}Luxembourgish +3\.1 %\n$/);
    const json = await run('detect-language', audio, '--json');
    const found = JSON.parse(json.stdout) as { languages: object[] };
    expect(found.languages).toHaveLength(6);
    expect(found.languages[1]).toEqual({
      ...{ language: 'ht', name: 'Haitian Creole', probability: 0.125 },
    });
    const several = await run('detect-language', audio, audio, '--json');
    expect(JSON.parse(several.stdout)).toEqual([0, 1].map(() => ({ file: audio, ...found })));
    expect(calls[1]).toEqual(['detectLanguage', audio, { languages: ['de', 'en'] }]);
  });

  test.each([
    [51864, undefined, 1],
    [51865, undefined, 99],
    [51865, true, 99],
    [51866, true, 100],
    [51865, false, 1],
    [1776, undefined, undefined],
    [undefined, true, undefined],
  ])('inspect: a vocabulary of %p, multilingual %p, has %p languages', (nVocab, stated, count) => {
    const config = stated === undefined ? {} : { tokenizer_config: { is_multilingual: stated } };
    const dims = nVocab === undefined ? {} : { dims: { nVocab } };
    expect(languageCount({ ...dims, metadata: config } as unknown as Inspection)).toBe(count);
  });

  test('score prints the best text first', async () => {
    const { stdout, calls } = await run(
      ...['score', audio, 'one', 'two', '--language', 'en', '--initial-prompt', 'Numbers.'],
    );
    expect(stdout).toBe('-8.0000\t-2.0000\ttwo\n-9.0000\t-3.0000\tone\n');
    const options = { language: 'en', initialPrompt: 'Numbers.' };
    expect(calls[1]).toEqual(['score', audio, ['one', 'two'], options]);
  });

  test('align gives each line of the text its words', async () => {
    const lyrics = join(folder, 'lyrics.txt');
    writeFileSync(lyrics, 'Sleep, baby\r\n\r\n sleep well \n');
    const { stdout, calls } = await run(
      ...['align', audio, '--text-file', lyrics, '--language', 'en', '--format', 'lrc'],
      '--highlight-words',
    );
    expect(calls[1]).toEqual(['align', audio, 'Sleep, baby sleep well', { language: 'en' }]);
    expect(stdout).toBe(
      '[00:00.00]<00:00.00>Sleep, <00:01.00>baby<00:01.50>\n' +
        '[00:02.00]<00:02.00>sleep <00:03.00>well<00:03.50>\n',
    );
    const json = JSON.parse((await run('align', audio, '--text', 'a b')).stdout) as object;
    expect(json).toMatchObject({ text: 'a b', segments: [{ start: 0, end: 1.5, text: 'a b' }] });
    const csv = ['align', audio, '--text', '=a b', '--format', 'csv', '--escape-formulas'];
    expect((await run(...csv)).stdout).toContain("\r\n0,1.5,'=a b,");
  });

  test('plan prints megabytes, and bytes as JSON', async () => {
    const { stdout, calls } = await run('plan', 'base', '--threads', '2', '--beam-size', '5');
    expect(calls).toEqual([['plan', 'base', { threads: 2, beamSize: 5 }]]);
    expect(stdout).toMatch(/^to fetch +81\.8 MB\nkept already +0\.0 MB\nweights +148\.1 MB$/m);
    expect(stdout).toMatch(/^at most +not known\nfits here +not sure: it may$/m);
    const uses = await run('plan', 'base', '--revise', '--no-vad');
    expect(uses.calls).toEqual([['plan', 'base', { revise: true, vad: false }]]);
    expect(uses.stdout).toMatch(/^second hearing +32\.0 MB\nvoice detector +9\.4 MB$/m);
    expect(await run('plan', 'base', '--vad', '--no-vad')).toMatchObject({ status: 64, calls: [] });
    const engines = await run('plan', 'base', '--workers', '3');
    expect(engines.calls).toEqual([['plan', 'base', { workers: 3 }]]);
    expect(engines.stdout).toMatch(/^further engines +500\.0 MB\nat most /m);
    const usual = await run('plan', 'base', '--workers', 'auto');
    expect(usual.calls).toEqual([['plan', 'base', { workers: 'auto' }]]);
    const json = await run('plan', 'base', '--json');
    expect(JSON.parse(json.stdout)).toMatchObject({ weightBytes: 148_123_648 });
    for (const [option, value] of [
      ['--threads', 'many'],
      ['--workers', 'many'],
      ['--beam-size', 'x'],
      ['--dtype', 'f64'],
    ] as const) {
      expect(await run('plan', 'base', option, value)).toMatchObject({ status: 64, calls: [] });
    }
  });

  test.each([
    [
      'detect-language without audio',
      ['detect-language'],
      /needs at least one recording \(susurrus detect-language --help\)/,
    ],
    ['score without texts', ['score', audio], /at least one TEXT/],
    ['align without text', ['align', audio], /either --text or --text-file/],
    ['align with both', ['align', audio, '--text', 'a', '--text-file', audio], /either --text/],
    ['align with two recordings', ['align', audio, audio, '--text', 'a'], /needs one recording/],
  ])('%s is a usage error', async (_, args, says) => {
    const { status, stderr, calls } = await run(...args);
    expect([status, calls]).toEqual([64, []]);
    expect(stderr).toMatch(says);
  });
});

test('a word over the end of a line belongs to that line', () => {
  const word = (text: string, start: number): Word => ({
    ...{ word: text, start, end: start + 1, probability: 1 },
  });
  const words = [word('你好', 0), word('世界', 1), word('再', 2), word('见', 3)];
  expect(linesWithWords(['你好世', '界', '再见'], words)).toEqual([
    { start: 0, end: 2, text: '你好世', words: words.slice(0, 2) },
    { start: 2, end: 4, text: '再见', words: words.slice(2) },
  ]);
});

describe('a line of text', () => {
  test.each([
    ['a\u200Fb', 'a\u200Fb'],
    ['\u202Ba b\u202C\nc', '\u202Ba b\u202C\nc'],
    ['\u202Ba b', '\uFFFDa b'],
    ['a b\u202C', 'a b\uFFFD'],
    ['\u202Ba\nb\u202C', '\uFFFDa\nb\uFFFD'],
    ['a \u202Bb\u202C', 'a \uFFFDb\uFFFD'],
    ['\u202Ba\u202Eb\u202C', '\uFFFDa\uFFFDb\uFFFD'],
  ])('has directions that end with it, and no other: %j', (text, shown) => {
    expect(safe(text)).toBe(shown);
  });

  const plain = { hasTimes: false, hasColors: true };

  test('has the colour of its mean probability, or its words have theirs', () => {
    const said = { start: 0, end: 1, text: ' a b c' };
    const lines = [-1, -0.5, -0.1, undefined].map((avgLogprob) =>
      textLines([{ ...said, ...(avgLogprob !== undefined && { avgLogprob }) }], plain),
    );
    expect(lines).toEqual([
      '\x1b[31ma b c\x1b[39m\n',
      '\x1b[33ma b c\x1b[39m\n',
      ...['a b c\n', 'a b c\n'],
    ]);
    const words = [0.9, 0.5, 0.1].map((probability, at) => ({
      ...{ word: [' a', ' b', ' c'][at]!, start: at, end: at + 1, probability },
    }));
    const expected = 'a\x1b[33m b\x1b[39m\x1b[31m c\x1b[39m\n';
    expect(textLines([{ ...said, avgLogprob: -1, words }], plain)).toBe(expected);
    // Words that are not its text have no say.
    const other = [{ ...said, avgLogprob: -1, words: words.slice(1) }];
    expect(textLines(other, plain)).toBe(lines[0]);
  });

  test('has hours where there are any, and no control sequences of its own', () => {
    const segments = [{ start: 3599.9996, end: 36_000, text: '\x1b[2Ja', avgLogprob: -1 }];
    const line = '[01:00:00.000 → 10:00:00.000] ';
    expect(textLines(segments, { hasTimes: true, hasColors: false })).toBe(`${line}\uFFFD[2Ja\n`);
    expect(textLines(segments, { hasTimes: true, hasColors: true })).toBe(
      `${line}\x1b[31m\uFFFD[2Ja\x1b[39m\n`,
    );
  });

  test('has colours on a terminal, unless the environment says otherwise', () => {
    const terminal = { isTTY: true };
    const taken = (env: NodeJS.ProcessEnv) => [takesColors(terminal, env), takesColors({}, env)];
    expect(taken({})).toEqual([true, false]);
    expect(taken({ NO_COLOR: '' })).toEqual([true, false]);
    expect(taken({ NO_COLOR: '1' })).toEqual([false, false]);
    expect(taken({ NO_COLOR: '1', FORCE_COLOR: '' })).toEqual([true, true]);
    expect(taken({ FORCE_COLOR: '0' })).toEqual([false, false]);
  });
});
