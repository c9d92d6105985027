// Kept models with piece digests: what is wrong of them, and nothing else, is fetched again.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { LoadOptions } from '../../web/src/node.js';
import { builtPackage } from '../support/built_package.js';
import { errorOf, modelPath } from '../support/embedded_model.js';
import { startModelServer, type ModelServer } from '../support/model_server.js';

const mebibyte = 1 << 20;
const keep = { cache: true } as const;

let susurrus: Awaited<ReturnType<typeof builtPackage>>;
let source = '';
let digested: Buffer;
let signed: Buffer;
let signer: Uint8Array;
/** Where the first piece begins. */
let begin = 0;
let folder = '';
let server: ModelServer;
let url = '';
const environment = { ...process.env };

beforeAll(async () => {
  susurrus = await builtPackage();
  source = mkdtempSync(join(tmpdir(), 'susurrus-digested-'));
  await susurrus.addPieceDigests(modelPath, join(source, 'digested.apr'));
  const { privateKey, publicKey } = await susurrus.generateSigningKey();
  await susurrus.signModel(modelPath, join(source, 'signed.apr'), { key: privateKey });
  signer = publicKey;
  digested = readFileSync(join(source, 'digested.apr'));
  signed = readFileSync(join(source, 'signed.apr'));
  const beginning = new Blob([Uint8Array.from(digested.subarray(0, mebibyte))]);
  begin = (await susurrus.soundRanges(beginning)).missing[0]?.begin ?? 0;
});
afterAll(() => rmSync(source, { recursive: true }));
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'susurrus-mended-'));
  process.env = { ...environment, XDG_CACHE_HOME: folder };
  server = await startModelServer({ 'm.apr': { bytes: digested, tag: '"one"' } });
  url = `${server.address}/m.apr`;
});
afterEach(async () => {
  process.env = { ...environment };
  await server.close();
  rmSync(folder, { recursive: true });
});

async function load(options: LoadOptions = keep, from = url): Promise<void> {
  using model = await susurrus.loadModel<'whisper'>(from, options);
  expect(model.info.dims.nVocab).toBe(1776);
}

/** The file that is kept: the longest one. */
function keptPath(): string {
  const kept = join(folder, 'susurrus/urls');
  const names = readdirSync(kept).filter((name) => name.endsWith('.apr'));
  const [longest = ''] = names.sort(
    (a, b) => readFileSync(join(kept, b)).length - readFileSync(join(kept, a)).length,
  );
  return join(kept, longest);
}

/** Flips a bit at each place of a copy. */
function damaged(bytes: Uint8Array, ...places: readonly number[]): Buffer {
  const wrong = Buffer.from(bytes);
  for (const at of places) wrong[at] = (wrong[at] ?? 0) ^ 16;
  return wrong;
}

const spoil = (...places: readonly number[]): void => {
  writeFileSync(keptPath(), damaged(readFileSync(keptPath()), ...places));
};

const rangeOf = (piece: number, of = digested): string =>
  `bytes=${begin + piece * mebibyte}-${Math.min(begin + (piece + 1) * mebibyte, of.length) - 1}`;

describe('of a kept file', () => {
  test('a bad piece alone is fetched again', async () => {
    await load();
    spoil(begin + mebibyte + 5);
    expect(await errorOf(load({ cache: 'only' }))).toMatchObject({ code: 'checksum_mismatch' });
    const phases: string[] = [];
    await load({ ...keep, onProgress: ({ phase }) => phases.push(phase) });
    expect(server.requests).toEqual(['GET /m.apr', `GET /m.apr ${rangeOf(1)} if "one"`]);
    expect(phases).toContain('download');
    expect(readFileSync(keptPath()).equals(digested)).toBe(true);
    await load({ cache: 'only' });
  });

  test('a bad piece of a signed file alone is fetched again', async () => {
    server.files.set('m.apr', { bytes: signed, tag: '"one"' });
    const options = { ...keep, publicKeys: [signer] };
    await load(options);
    spoil(signed.length >> 1);
    await load(options);
    expect(server.requests).toHaveLength(2);
    expect(server.sentBytes).toBe(signed.length + mebibyte);
  });

  test('of a server without tags and dates all is fetched again', async () => {
    server.files.set('m.apr', { bytes: digested });
    await load();
    spoil(begin + mebibyte + 5);
    await load();
    expect(server.requests).toEqual(['GET /m.apr', 'GET /m.apr']);
    expect(readFileSync(keptPath()).equals(digested)).toBe(true);
    await load({ cache: 'only' });
  });

  test('several bad pieces are fetched, those between are not', async () => {
    await load();
    spoil(begin + 1, begin + 2 * mebibyte + 1);
    await load();
    expect(server.requests.slice(1)).toEqual([
      `GET /m.apr ${rangeOf(0)} if "one"`,
      expect.stringMatching(`^GET /m.apr bytes=${begin + 2 * mebibyte}-`),
    ]);
    expect(readFileSync(keptPath()).equals(digested)).toBe(true);
  });

  test('a bad beginning, which has no digest, costs the whole file', async () => {
    await load();
    spoil(40);
    await load();
    expect(server.requests).toEqual(['GET /m.apr', 'GET /m.apr']);
  });

  test('nothing is mixed with a file that changed on the server', async () => {
    await load();
    spoil(begin + 5);
    server.files.set('m.apr', { bytes: signed, tag: '"two"' });
    await load();
    expect(readFileSync(keptPath()).equals(signed)).toBe(true);
  });

  test('a server that knows no ranges sends all of it, and one piece is taken', async () => {
    await load();
    spoil(begin + mebibyte + 5);
    server.faults.ignoresRanges = true;
    await load();
    expect(readFileSync(keptPath()).equals(digested)).toBe(true);
  });

  test('the piece is gone on with where the connection is cut', async () => {
    await load();
    spoil(begin + mebibyte + 5);
    server.faults.cuts = [300_000];
    await load();
    expect(server.requests).toHaveLength(3);
    const from = Number(/ bytes=(\d+)-/.exec(server.requests[2] ?? '')?.[1]);
    // What was on its way may be lost.
    expect(from).toBeGreaterThan(begin + mebibyte);
    expect(from).toBeLessThanOrEqual(begin + mebibyte + 300_000);
  });

  test('a load that is stopped while it mends leaves a file that the next one mends', async () => {
    await load();
    spoil(begin + mebibyte + 5);
    server.faults.stallsAfter = 100_000;
    const controller = new AbortController();
    const stopped = load({
      ...keep,
      signal: controller.signal,
      onProgress: ({ phase }) => {
        if (phase === 'download') controller.abort('any reason');
      },
    });
    expect(await errorOf(stopped)).toBe('any reason');
    delete server.faults.stallsAfter;
    server.drop();
    await load();
    expect(readFileSync(keptPath()).equals(digested)).toBe(true);
    expect(server.requests.every((request, i) => i === 0 || request.includes(rangeOf(1)))).toBe(
      true,
    );
  });
});

test('loads at once of a file with a bad piece all get the model, three times', async () => {
  await load();
  for (let round = 0; round < 3; ++round) {
    spoil(begin + mebibyte + 5);
    await Promise.all([load(), load(), load()]);
    expect(readFileSync(keptPath()).equals(digested)).toBe(true);
    await load({ cache: 'only' });
  }
  // No load fetched the whole file for that.
  expect(server.requests.filter((request) => request === 'GET /m.apr')).toHaveLength(1);
});

test('a piece that is damaged on its way is fetched again in the same load', async () => {
  server.files.set('m.apr', { bytes: damaged(digested, begin + mebibyte + 5), tag: '"one"' });
  server.faults.cuts = [begin + 2 * mebibyte];
  const loading = load();
  while (server.requests.length === 0) await new Promise((done) => setTimeout(done, 2));
  server.files.set('m.apr', { bytes: digested, tag: '"one"' });
  await loading;
  expect(readFileSync(keptPath()).equals(digested)).toBe(true);
  expect(server.sentBytes).toBeLessThan(digested.length + 2 * mebibyte);
});

test('a piece that is wrong on the server is asked for twice, no more, and never kept', async () => {
  server.files.set('m.apr', { bytes: damaged(digested, begin + 5), tag: '"one"' });
  expect(await errorOf(load())).toMatchObject({ code: 'checksum_mismatch' });
  expect(server.requests).toHaveLength(2);
  expect(await errorOf(load({ cache: 'only' }))).toMatchObject({ code: 'source_failed' });
});

test('of shards only the bad piece of the bad one is fetched again', async () => {
  const shards = join(folder, 'shards');
  mkdirSync(join(folder, 'digested'));
  const { files = [] } = await susurrus.shardModel(modelPath, shards, { size: 1_300_000 });
  const manifest = files.at(-1) ?? '';
  await susurrus.addPieceDigests(join(shards, manifest), join(folder, 'digested', manifest));
  for (const name of readdirSync(join(folder, 'digested'))) {
    const bytes = readFileSync(join(folder, 'digested', name));
    server.files.set(`shards/${name}`, { bytes, tag: '"one"' });
  }
  const from = `${server.address}/shards/${manifest}`;
  await load(keep, from);
  const before = server.requests.length;
  const whole = readFileSync(keptPath());
  spoil(whole.length - 100_000);
  await load(keep, from);
  // The manifest has no digests.
  expect(server.requests.slice(before)).toEqual([
    `GET /shards/${manifest}`,
    expect.stringMatching(/ bytes=\d+-\d+ if "one"$/),
  ]);
  expect(readFileSync(keptPath()).equals(whole)).toBe(true);
});
