// Official models by their short names: which repository of the hub their weights come from.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { ModelPlan, Progress, WeightType } from '../../web/src/node.js';
import { builtPackage } from '../support/built_package.js';
import { errorOf } from '../support/embedded_model.js';
import { decodedTokens } from '../support/golden_tokens.js';
import { startHub, type HubServer } from '../support/hub_server.js';
import { describeWithShared, sharedFolder } from '../support/shared_folder.js';

const [ggml, halves, openAi] = [
  'ggerganov/whisper.cpp',
  'Systran/faster-whisper-tiny.en',
  'openai/whisper-tiny.en',
] as const;
const ggmlFile = 'ggml-tiny.en-q8_0.bin';

describeWithShared(['golden/ctranslate2'], 'a short name', () => {
  const root = mkdtempSync(join(tmpdir(), 'susurrus-official-'));
  const environment = { ...process.env };
  let package_: Awaited<ReturnType<typeof builtPackage>>;
  /** One model in three formats. */
  let repositories: Readonly<Record<string, Readonly<Record<string, Uint8Array>>>>;
  let cache = '';
  let hub: HubServer;

  const filesIn = (folder: string): Record<string, Uint8Array> =>
    Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))]));
  beforeAll(async () => {
    package_ = await builtPackage();
    const folder = join(sharedFolder, 'golden/ctranslate2/float16');
    const [q8, own] = [join(root, ggmlFile), join(root, 'hub')];
    await package_.convertModel(folder, q8, { format: 'ggml', dtype: 'q8_0' });
    await package_.convertModel(folder, own, { format: 'safetensors', dtype: 'f32' });
    repositories = {
      [ggml]: { [ggmlFile]: readFileSync(q8), 'ggml-base-q8_0.bin': new Uint8Array(9) },
      [halves]: filesIn(folder),
      [openAi]: filesIn(own),
    };
  });
  afterAll(() => rmSync(root, { recursive: true }));
  beforeEach(() => {
    cache = mkdtempSync(join(root, 'cache-'));
  });
  afterEach(async () => {
    process.env = { ...environment };
    await hub.close();
  });

  /** Serves these of the three. */
  async function serve(...names: readonly string[]): Promise<void> {
    const others = Object.fromEntries(names.map((name) => [name, repositories[name]!]));
    hub = await startHub({ repository: 'some/other', files: {}, others });
    process.env = { ...environment, HF_ENDPOINT: hub.endpoint, XDG_CACHE_HOME: cache };
  }
  /** Whose large files were asked for. */
  const weights = (): string[] =>
    hub.requests.flatMap((request) => /^\/store\/(\S+)/.exec(request)?.[1] ?? []);
  const lists = (): string[] =>
    hub.requests.flatMap((request) => /^\/api\/models\/(.*)\/revision/.exec(request)?.[1] ?? []);

  test.each<[WeightType | undefined, string, string]>([
    [undefined, ggml, ggmlFile],
    ['q8_0', ggml, ggmlFile],
    ['f16', halves, 'model.bin'],
    ['q5_1', halves, 'model.bin'],
    ['q4_0', halves, 'model.bin'],
    ['f32', openAi, 'model.safetensors'],
  ])('with the type %s: %s', async (dtype, source, file) => {
    await serve(ggml, halves, openAi);
    const heard: Progress[] = [];
    const pulled = await package_.downloadModel('tiny.en', {
      ...(dtype && { dtype }),
      onProgress: (event) => heard.push(event),
    });
    expect(pulled.source).toBe(source);
    expect(weights()).toEqual([`${source}/${file}`]);
    expect(pulled.warnings).toEqual([]);
    const { tensors } = await package_.inspect(pulled.path, { full: true });
    expect(new Set(tensors.map((tensor) => tensor.dtype))).toContain(dtype ?? 'q8_0');
    const downloads = heard.filter(({ phase }) => phase === 'download');
    expect(new Set(downloads.map((event) => event.source))).toEqual(new Set([source]));
    const [kept] = await package_.listModels('tiny.en');
    expect(kept).toMatchObject({ name: 'tiny.en', dtype: dtype ?? 'q8_0', path: pulled.path });
    // What is kept needs no network.
    process.env.HF_HUB_OFFLINE = '1';
    await using model = await package_.loadModel<'whisper'>('tiny.en', { threads: 1 });
    expect(model.info.languages).toEqual(['en']);
  });

  test.each(['q8_0', 'f16'] as const)('has the same words from each source: %s', async (dtype) => {
    const found: number[][][] = [];
    for (const source of [ggml, halves, openAi]) {
      if (source === ggml && dtype === 'f16') continue;
      await serve(source);
      const { path, source: used } = await package_.downloadModel('tiny.en', { dtype });
      expect(used).toBe(source);
      found.push(await decodedTokens('micro-en', path));
      rmSync(path);
      if (source !== openAi) await hub.close();
    }
    expect(new Set(found.map((tokens) => JSON.stringify(tokens))).size).toBe(1);
  });

  test('asks the next repository where one has no such file, or is not there', async () => {
    await serve(openAi);
    const pulled = await package_.downloadModel('tiny.en');
    expect([pulled.source, lists()]).toEqual([openAi, [ggml, halves, openAi]]);
    await hub.close();
    await serve(ggml, halves);
    expect(await errorOf(package_.downloadModel('base'))).toMatchObject({
      code: 'truncated_input',
    });
    expect(weights()).toEqual([`${ggml}/ggml-base-q8_0.bin`]);
    const none = await errorOf(package_.downloadModel('small'));
    expect(none).toMatchObject({
      code: 'source_failed',
      details: { subject: 'openai/whisper-small' },
    });
  });

  test('asks no other after a wrong digest, a refusal or an abort', async () => {
    await serve(ggml, halves, openAi);
    hub.faults.corrupts = true;
    expect(await errorOf(package_.downloadModel('tiny.en'))).toMatchObject({
      code: 'checksum_mismatch',
    });
    expect(lists()).toEqual([ggml]);
    hub.faults.corrupts = false;
    hub.faults.refusals.push(403);
    expect(await errorOf(package_.downloadModel('tiny.en'))).toMatchObject({
      code: 'source_failed',
    });
    const aborting = new AbortController();
    const onProgress = (): void => aborting.abort(new Error('enough'));
    const { signal } = aborting;
    expect(await errorOf(package_.downloadModel('tiny.en', { onProgress, signal }))).toBe(
      signal.reason,
    );
    expect(new Set(lists())).toEqual(new Set([ggml]));
    expect(await package_.listModels()).toEqual([]);
  });

  test('is OpenAI’s repository with a revision, in full, or on a hub of the caller’s own', async () => {
    await serve(ggml, halves, openAi);
    const hubOption = { hub: hub.endpoint };
    for (const [name, options] of [
      ['tiny.en@main', {}],
      [openAi, {}],
      ['tiny.en', hubOption],
    ] as const) {
      const output = join(cache, 'model.apr');
      const { source } = await package_.downloadModel(name, { ...options, output, force: true });
      expect(source).toBe(openAi);
    }
    expect(new Set(lists())).toEqual(new Set([openAi]));
  });

  test('is planned with the dimensions that it has, and the bytes of what is fetched', async () => {
    await serve(ggml, halves, openAi);
    const plans: ModelPlan[] = [];
    for (const dtype of [undefined, 'q5_1'] as const) {
      plans.push(await package_.plan('tiny.en', { ...(dtype && { dtype }) }));
    }
    expect(plans.map(({ dims }) => dims.nAudioState)).toEqual([384, 384]);
    expect(plans[0]!.fetchBytes).toBe(repositories[ggml]![ggmlFile]!.length);
    expect(plans[1]!.fetchBytes).toBeGreaterThan(repositories[halves]!['model.bin']!.length);
    expect(weights()).toEqual([]);
  });
});
