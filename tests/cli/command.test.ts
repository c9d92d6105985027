import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { modelPath, samplePath, sampleText } from '../support/embedded_model.js';
import { joined, u32, u8 } from '../support/little_endian.js';
import { projectRoot } from '../support/shared_folder.js';

const folder = mkdtempSync(join(tmpdir(), 'susurrus-cli-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

interface Outcome {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

function run(...args: string[]): Promise<Outcome> {
  return new Promise((done) => {
    execFile(
      process.execPath,
      [join(projectRoot, 'dist/cli.mjs'), ...args],
      // No ffmpeg, whatever is installed here.
      { encoding: 'utf8', maxBuffer: 1 << 28, env: { ...process.env, PATH: folder } },
      (error, stdout, stderr) => {
        const status = error ? Number(error.code) : 0;
        done({ status, stdout, stderr });
      },
    );
  });
}

/** What every failure looks like: nothing on stdout, one line on stderr. */
function expectFailure({ status, stdout, stderr }: Outcome, group: number, says: RegExp): void {
  expect(stdout).toBe('');
  expect(stderr).toMatch(/^susurrus: [^\n]+\n$/);
  expect(stderr).toMatch(says);
  expect(status).toBe(group);
}

describe('susurrus', () => {
  test('--help lists the commands, and a command’s --help its options', async () => {
    const { status, stdout, stderr } = await run('--help');
    expect([status, stderr]).toEqual([0, '']);
    for (const name of ['transcribe', 'models', 'encrypt']) expect(stdout).toContain(`  ${name} `);
    expect(await run()).toEqual({ status, stdout, stderr });
    const help = await run('encrypt', '--help');
    expect([help.status, help.stderr]).toEqual([0, '']);
    expect(help.stdout).toContain('--passphrase-file FILE');
    expect(help.stdout).not.toContain('--beam-size');
  });

  test('--version is that of the package', async () => {
    const manifest = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as {
      version: string;
    };
    expect(await run('--version')).toEqual({
      status: 0,
      stdout: `${manifest.version}\n`,
      stderr: '',
    });
  });

  test.each([
    ['an unknown command', ['hearken'], /no command 'hearken' \(susurrus --help\)/],
    ['a misspelt command', ['transcirbe'], /no command 'transcirbe'; did you mean transcribe\?/],
    ['a misspelt option', ['plan', '--dtpye', 'f16'], /'--dtpye'; did you mean --dtype\?/],
    ['an unknown option', ['plan', '--bogus'], /Unknown option '--bogus' \(susurrus plan --help\)/],
    ['an unknown option', ['transcribe', samplePath, '--beams', '5'], /--beams/],
    ['a plan of no engine', ['plan', 'digits', '--workers', '0'], /--workers must be .* is 0 \(/],
    ['no audio', ['transcribe'], /transcribe needs at least one recording/],
    ['a wrong choice', ['transcribe', samplePath, '--format', 'xml'], /txt, srt, .*'xml'/],
    ['a missing value', ['transcribe', samplePath, '--model'], /--model/],
    ['too few files', ['convert', 'folder'], /convert needs SRC and DST/],
    ['too many files', ['extract', 'a', 'b', 'c', 'd'], /FILE, NAME and OUT/],
  ])('%s is a usage error', async (_, args, says) => {
    expectFailure(await run(...args), 64, says);
  });
});

describe('susurrus transcribe', () => {
  test('prints the text', async () => {
    const { status, stdout, stderr } = await run('transcribe', samplePath);
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout.trim().split(/\s+/).join(' ')).toBe(sampleText);
  });

  test('prints JSON alone, with the reference’s fields and what is known besides', async () => {
    const { status, stdout } = await run('transcribe', samplePath, '--format', 'json');
    expect(status).toBe(0);
    const result = JSON.parse(stdout) as { text: string; segments: Record<string, unknown>[] };
    expect(result).toMatchObject({ language: 'en', rejected: [] });
    expect(result.text.trim()).toBe(sampleText);
    expect(Object.keys(result.segments[0]!).sort()).toEqual(
      [
        ...['id', 'seek', 'start', 'end', 'text', 'tokens', 'temperature', 'avg_logprob'],
        ...['compression_ratio', 'no_speech_prob'],
        ...['token_probabilities', 'language', 'decision', 'attempts', 'encoder_context'],
      ].sort(),
    );
  });

  test('takes a model, options and several files', async () => {
    const { status, stdout, stderr } = await run(
      ...['transcribe', samplePath, samplePath, '--model', modelPath, '--language', 'en'],
      ...['--timestamps', 'none', '--variant', 'simd', '--temperature', '0', '--beam-size', '1'],
      ...['--compatibility', 'openai', '--format', 'json', '--stats'],
    );
    expect(status).toBe(0);
    const results = JSON.parse(stdout) as { file: string; text: string }[];
    expect(results.map(({ file }) => file)).toEqual([samplePath, samplePath]);
    expect(results.map(({ text }) => text.trim())).toEqual([sampleText, sampleText]);
    expect(stderr.match(/real-time factor [\d.]+ .*engine simd/g)).toHaveLength(2);
  });

  test('writes subtitles of words to a folder', async () => {
    const { status, stdout } = await run(
      ...['transcribe', samplePath, '--model', modelPath, '--timestamps', 'word'],
      ...['--format', 'srt,lrc', '--max-words-per-line', '1', '--output-dir', folder],
    );
    expect([status, stdout]).toEqual([0, '']);
    const cues = readFileSync(join(folder, 'sample.srt'), 'utf8').trim().split('\n\n');
    expect(cues.map((cue) => cue.split('\n')[2]).join(' ')).toBe(sampleText);
    expect(cues[0]).toMatch(/^1\n00:00:00,\d{3} --> 00:00:0\d,\d{3}\nthree$/);
    expect(readFileSync(join(folder, 'sample.lrc'), 'utf8').match(/^\[00:0/gm)).toHaveLength(9);
  });

  test.each([
    ['an absent recording', ['/no/such.wav', '--model', modelPath], 6, /no such file/],
    ['an absent model', [samplePath, '--model', '/no/such.apr'], 6, /no such file/],
    ['a file that is no model', [samplePath, '--model', samplePath], 1, /not a model file/],
    [
      'an unknown language',
      [samplePath, '--model', modelPath, '--language', 'xx'],
      64,
      /--language must be .*; it is "xx" \(susurrus transcribe --help\)/,
    ],
    [
      'a misspelt language',
      [samplePath, '--model', modelPath, '--language', 'Engish'],
      64,
      /--language must be .* \(did you mean english\/en\?\); it is "Engish" \(/,
    ],
    [
      'an impossible beam',
      [samplePath, '--model', modelPath, '--beam-size', '0'],
      64,
      /: --beam-size must be a whole number from 1 to 16, or none; it is 0 \(/,
    ],
    ['a file that is no audio', [modelPath, '--model', modelPath], 2, /no audio file/],
  ])('%s fails with one line', async (_, args, group, says) => {
    expectFailure(await run('transcribe', ...args), group, says);
  });
});

describe('susurrus align, score, detect-language', () => {
  test('align gives the words of a known text their times', async () => {
    const text = ['--text', sampleText, '--model', modelPath];
    const { status, stdout } = await run('align', samplePath, ...text);
    expect(status).toBe(0);
    const { segments } = JSON.parse(stdout) as {
      segments: { words: { word: string; start: number; end: number }[] }[];
    };
    const words = segments[0]!.words;
    expect(words.map(({ word }) => word).join('')).toBe(` ${sampleText}`);
    for (const { start, end } of words) {
      expect(start).toBeLessThan(end);
      expect(end).toBeLessThanOrEqual(9);
    }
  });

  test('score finds the text that was spoken', async () => {
    const wrong = sampleText.replace('nine', 'zero');
    const model = ['--model', modelPath];
    const { status, stdout } = await run('score', samplePath, wrong, sampleText, ...model);
    expect(status).toBe(0);
    const lines = stdout.trim().split('\n');
    expect(lines.map((line) => line.split('\t')[2])).toEqual([sampleText, wrong]);
    expect(lines[0]).toMatch(/^-\d+\.\d{4}\t-\d+\.\d{4}\t/);
  });

  test('detect-language says when there is nothing to choose from', async () => {
    const { status, stdout, stderr } = await run(
      ...['detect-language', samplePath, '--model', modelPath],
    );
    expect([status, stdout]).toEqual([0, '']);
    expect(stderr).toMatch(/knows English only/);
  });
});

describe('susurrus inspect', () => {
  test('tells format, flags, metadata and tensors', async () => {
    const { status, stdout } = await run('inspect', modelPath);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^format +APR2 2\.0$/m);
    expect(stdout).toMatch(/^flags +.*ALIGNED_64/m);
    expect(stdout).toMatch(/^languages English only$/m);
    expect(stdout).toContain('"n_audio_state": 96');
    expect(stdout).toMatch(/^ +encoder\.conv1\.weight +\w+ +96×80×3 +\d+ +\d+ +\d+$/m);
  });

  test('--json is one JSON object with the same', async () => {
    const { status, stdout, stderr } = await run('inspect', modelPath, '--json');
    expect([status, stderr]).toEqual([0, '']);
    const facts = JSON.parse(stdout) as {
      flags: string[];
      tensors: { name: string; shape: number[]; size: number; raw_size: number; offset: number }[];
    };
    expect(facts).toMatchObject({
      format: 'APR2',
      version: '2.0',
      language_count: 1,
      byte_count: readFileSync(modelPath).length,
      metadata: { model_type: 'whisper', architecture: { n_vocab: 1776 } },
    });
    expect(facts.flags).toContain('ALIGNED_64');
    expect(facts.tensors).toHaveLength(11 + 15 * 3 + 24 * 2);
    for (const { offset, size, raw_size: raw } of facts.tensors) {
      expect(offset % 64).toBe(0);
      expect(size).toBeLessThanOrEqual(raw);
    }
  });

  test('leaves the checksum to verify', async () => {
    const damaged = readFileSync(modelPath);
    damaged[damaged.length - 1000]! ^= 1;
    const path = join(folder, 'damaged.apr');
    writeFileSync(path, damaged);
    expect((await run('inspect', path)).status).toBe(0);
    const { status, stdout } = await run('verify', path);
    expect(status).toBe(1);
    expect(stdout).toMatch(/^failed +checksum/m);
  });
});

describe('several files in one command', () => {
  const absent = join(folder, 'absent.apr');
  const audio = samplePath;

  test('inspect describes those that can be read and fails for the others', async () => {
    const { status, stdout, stderr } = await run('inspect', modelPath, absent, audio, modelPath);
    expect(status).toBe(6);
    expect(stdout.split(`${modelPath}\nformat    APR2`)).toHaveLength(3);
    expect(stderr).toMatch(/^susurrus: .*absent\.apr.* \[source_failed\]\nsusurrus: .*\n$/);
    const json = await run('inspect', absent, modelPath, '--json');
    expect(json.status).toBe(6);
    expect(JSON.parse(json.stdout)).toMatchObject([{ file: modelPath, format: 'APR2' }]);
  });

  test('verify checks those that can be read and fails for the others', async () => {
    const damaged = readFileSync(modelPath);
    damaged[damaged.length - 1000]! ^= 1;
    const path = join(folder, 'damaged of several.apr');
    writeFileSync(path, damaged);
    const { status, stdout, stderr } = await run('verify', path, absent, modelPath);
    // The exit status is that of the first file that failed.
    expect(status).toBe(1);
    expect(stdout).toMatch(/^.*damaged of several\.apr\n[^]*^failed +checksum/m);
    expect(stdout.split(`${modelPath}\n`)[1]).toMatch(/^passed +checksum/m);
    expect(stderr).toMatch(/^susurrus: .*absent\.apr.* \[source_failed\]\n$/);
    const json = await run('verify', absent, modelPath, '--json');
    expect(json.status).toBe(6);
    expect(JSON.parse(json.stdout)).toMatchObject([{ file: modelPath, valid: true }]);
  });
});

describe('susurrus convert', () => {
  test.each([
    ['an absent folder', '/no/such/folder', 6, /no such folder/],
    ['a folder without weights', folder, 6, /no model\.safetensors/],
    ['a file of another kind', samplePath, 1, /sample\.wav: .*audio or video file/],
  ])('%s fails and leaves nothing behind', async (_, source, group, says) => {
    const destination = join(folder, 'none.apr');
    expectFailure(await run('convert', source, destination), group, says);
    expect(existsSync(destination)).toBe(false);
    expect(readdirSync(folder).filter((name) => name.includes('unfinished'))).toEqual([]);
  });

  test('shows a name from a file as text, whatever it is', async () => {
    const name = '\u001b[2Jevil';
    const source = join(folder, 'steering');
    writeFileSync(
      source,
      joined(
        ...[u32(6), Uint8Array.of(12, 0), 'WhisperSpec\0', u32(3), u32(1)],
        ...[Uint8Array.of(name.length + 1, 0), `${name}\0`, u8(1), u32(1), u8(1), u32(1), u8(7)],
        u32(0),
      ),
    );
    const outcome = await run('convert', source, join(folder, 'steered.apr'));
    expectFailure(outcome, 1, /\uFFFD\[2Jevil/);
    expect(outcome.stderr).not.toContain('\u001b');
  });

  test('does not overwrite unless told to', async () => {
    const destination = join(folder, 'precious.apr');
    writeFileSync(destination, 'precious');
    expectFailure(await run('convert', folder, destination), 5, /--force/);
    // With --force the folder's own fault comes to light; the file stays as it was.
    expectFailure(await run('convert', folder, destination, '--force'), 6, /model\.safetensors/);
    expect(readFileSync(destination, 'utf8')).toBe('precious');
  });
});
