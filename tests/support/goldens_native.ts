import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type * as Api from '../../web/src/api/types.js';
import type { ConformanceModel } from './goldens_engines.js';
import { projectRoot } from './shared_folder.js';

type Answer = Readonly<Record<string, unknown>>;

/** Talks to the driver (tests/native/engine_driver.cc): a line out, a line back. */
export class Driver {
  readonly #folder = mkdtempSync(join(tmpdir(), 'susurrus-native-'));
  readonly #process;
  readonly #waiting: ((line: string) => void)[] = [];
  // Equal samples keep their file, so that the driver may reuse their encoding.
  readonly #sampleFiles = new WeakMap<Float32Array, string>();
  #fileCount = 0;

  constructor() {
    const program = join(projectRoot, 'build/native-sanitized/engine_driver');
    if (!existsSync(program)) throw new Error('build/native-sanitized/engine_driver is not built');
    this.#process = spawn(program, { stdio: ['pipe', 'pipe', 'inherit'] });
    createInterface(this.#process.stdout).on('line', (line) => this.#waiting.shift()?.(line));
    this.#process.on('exit', (code) => {
      for (const answer of this.#waiting.splice(0)) answer(`{"ok":false,"code":"exit ${code}"}`);
    });
  }

  async ask(command: string, request: Answer = {}): Promise<Answer> {
    const line = await new Promise<string>((answered) => {
      this.#waiting.push(answered);
      this.#process.stdin.write(`${JSON.stringify({ command, ...request })}\n`);
    });
    const answer = JSON.parse(line) as Answer;
    if (answer.ok !== true) throw new Error(`${command}: ${line}`);
    return answer;
  }

  async askForFloats(command: string, request: Answer): Promise<Float32Array> {
    const output = join(this.#folder, 'output.f32');
    await this.ask(command, { ...request, output });
    const bytes = readFileSync(output);
    return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  }

  file(samples: Float32Array): string {
    let path = this.#sampleFiles.get(samples);
    if (path === undefined) {
      path = join(this.#folder, `${this.#fileCount++}.f32`);
      writeFileSync(path, new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength));
      this.#sampleFiles.set(samples, path);
    }
    return path;
  }

  stop(): void {
    this.#process.stdin.end();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** The native engine, with sanitizers, and a model, in a process of its own. */
export async function loadNative(path: string): Promise<ConformanceModel> {
  const driver = new Driver();
  await driver.ask('load', { path });
  const ask = async <T>(
    command: string,
    samples: Float32Array,
    options: object = {},
    more: Answer = {},
  ): Promise<T> =>
    (await driver.ask(command, {
      samples: driver.file(samples),
      options,
      ...more,
    })) as T;
  return {
    logMel: (samples, mode) =>
      driver.askForFloats('log_mel', { samples: driver.file(samples), mode }),
    encode: (mel) => driver.askForFloats('encode', { mel: driver.file(mel) }),
    logits: (tokens) => driver.askForFloats('logits', { tokens }),
    decode: async (samples, options) =>
      (await ask<{ result: Api.DecodeResult }>('decode', samples, options)).result,
    transcribe: (samples, options) => ask('transcribe', samples, options),
    detectLanguage: async (samples, options) =>
      (await ask<{ languages: Api.LanguageProbability[] }>('detect_language', samples, options))
        .languages,
    score: async (samples, candidates, options) =>
      (await ask<{ scores: Api.CandidateScore[] }>('score', samples, options, { candidates }))
        .scores,
    align: async (samples, text, options) =>
      (await ask<{ words: Api.Word[] }>('align', samples, options, { text })).words,
    encodeText: async (text) => (await driver.ask('tokenize', { text })).tokens as number[],
    decodeTokens: async (tokens) => (await driver.ask('detokenize', { tokens })).text as string,
    special: async () =>
      (await driver.ask('special')) as unknown as Awaited<ReturnType<ConformanceModel['special']>>,
    dispose: () => driver.stop(),
  };
}
