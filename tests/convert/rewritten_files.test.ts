// .april, BW2L and TenniS files written once more in their own format: byte for byte where they have no gaps.
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Progress } from '../../web/src/api/types.js';
import { writeApr2 } from '../support/apr2_writer.js';
import { smallApril, writeApril } from '../support/april_writer.js';
import { builtPackage } from '../support/built_package.js';
import { smallBw2l, writeBw2l } from '../support/bw2l_writer.js';
import { errorOf } from '../support/embedded_model.js';
import { filesModule } from '../support/files_module.js';
import { u64 } from '../support/little_endian.js';
import { projectRoot } from '../support/shared_folder.js';
import { floats, ints, tennisNode, text, writeTennis } from '../support/tennis_writer.js';
import { tinyWhisper } from '../support/tiny_whisper.js';
import { expectOneBar } from '../support/one_bar.js';

let built: Awaited<ReturnType<typeof builtPackage>>;
const folder = mkdtempSync(join(tmpdir(), 'susurrus-rewritten-'));
beforeAll(async () => {
  built = await builtPackage();
});
afterAll(() => rmSync(folder, { recursive: true }));

const smallTennis = writeTennis({
  reservedWord: 0xcafe,
  userBytes: new TextEncoder().encode('made by hand'),
  inputs: [0],
  outputs: [3],
  nodes: [
    tennisNode('<param>', 'image', [], ['#shape', ints([2], -1, 4)]),
    tennisNode('<const>', 'weight', [], ['value', floats([2, 1], 0.5, -1), ints([], 3)]),
    tennisNode('inner_prod', 'product', [0, 1], ['format', text('any')]),
    tennisNode('relu', 'größe', [2]),
  ],
});

/** Format, a file without gaps, how many tensors it has, bytes behind it, and what is said about them. */
const files = [
  ['april', writeApril(smallApril), 3, 'unused bytes behind the last part of the file'],
  ['BW2L', writeBw2l('small', smallBw2l), 5, 'unused bytes behind the last section'],
  ['TenniS', smallTennis, 2, '7 bytes behind the graph are ignored'],
] as const;

const endings = { april: ['.april'], BW2L: ['.b2l', '.bw2l'], TenniS: ['.tsm'] } as const;

function write(name: string, bytes: Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
}
const read = (path: string): Uint8Array => new Uint8Array(readFileSync(path));

function cli(...args: string[]): Promise<{ status: number; stderr: string }> {
  return new Promise((done) => {
    execFile(
      process.execPath,
      [join(projectRoot, 'dist/cli.mjs'), ...args],
      (error, _stdout, stderr) => done({ status: error ? Number(error.code) : 0, stderr }),
    );
  });
}

describe.each(files)('%s', (format, sound, tensorCount, warning) => {
  const behind = Uint8Array.of(...sound, 1, 2, 3, 4, 5, 6, 7);

  test('without gaps comes back byte for byte, from a path and from a Blob', async () => {
    // The name says nothing.
    const source = write(`${format}-sound.xyz`, sound);
    for (const [i, given] of [source, new Blob([sound as Uint8Array<ArrayBuffer>])].entries()) {
      const out = join(folder, `${format}-${i}.out`);
      const events: Progress[] = [];
      const result = await built.convertModel(given, out, {
        onProgress: (event) => events.push(event),
      });
      expect(result).toEqual({ byteCount: sound.length, tensorCount, tensors: [], warnings: [] });
      expect(read(out)).toEqual(sound);
      expect(events.at(-1)).toMatchObject({ phase: 'convert', fraction: 1, total: sound.length });
      expectOneBar(events);
    }
  });

  test('with bytes that nothing uses comes back without them, and says so', async () => {
    const out = join(folder, `${format}-clean.out`);
    const result = await built.convertModel(write(`${format}-gaps`, behind), out);
    expect(result).toEqual({
      byteCount: sound.length,
      tensorCount,
      tensors: [],
      warnings: [warning],
    });
    expect(read(out)).toEqual(sound);
    const before = await built.inspect(behind);
    const after = await built.inspect(readFileSync(out));
    expect({ ...after, byteCount: 0 }).toEqual({ ...before, byteCount: 0, warnings: [] });
  });

  test('goes through the command line', async () => {
    const source = write(`${format}-cli`, behind);
    const out = join(folder, `${format}-cli.out`);
    expect(await cli('convert', source, out)).toEqual({
      status: 0,
      stderr: `susurrus: ${warning}\n${out}: ${tensorCount} tensors, ${sound.length.toLocaleString('en')} bytes\n`,
    });
    expect(read(out)).toEqual(sound);
    const { status, stderr } = await cli('convert', source, out);
    expect(status).toBe(5);
    expect(stderr).toContain('--force');
    writeFileSync(out, 'another file');
    expect((await cli('convert', source, out, '--force')).status).toBe(0);
    expect(read(out)).toEqual(sound);
  });

  test('that is malformed leaves no file', async () => {
    const before = readdirSync(folder);
    for (const size of [100, sound.length - 1]) {
      const source = write(`${format}-malformed`, sound.slice(0, size));
      const out = join(folder, `${format}-malformed.out`);
      const inspected = await errorOf(built.inspect(sound.slice(0, size)));
      expect(await errorOf(built.convertModel(source, out))).toEqual(inspected);
      rmSync(source);
    }
    expect(readdirSync(folder)).toEqual(before);
  });

  test('becomes nothing else', async () => {
    const before = readdirSync(folder);
    const source = write(`${format}-other`, sound);
    for (const [name, options] of [
      ['other.out', { dtype: 'f16' }],
      ['other.out', { format: 'apr1' }],
      ['other.out', { compress: 'none' }],
      ['other.out', { shardSize: 1 << 20 }],
      ['other.apr', {}],
      ['other.safetensors', {}],
      ['other.ONNX', {}],
      ...Object.entries(endings)
        .filter(([family]) => family !== format)
        .flatMap(([, names]) => names.map((ending) => [`other${ending}`, {}] as const)),
    ] as const) {
      const out = join(folder, name);
      expect(await errorOf(built.convertModel(source, out, options))).toMatchObject({
        code: 'unsupported_feature',
        details: { reason: 'unsupported', expected: format },
      });
    }
    rmSync(source);
    expect(readdirSync(folder)).toEqual(before);
  });

  test('ends when it is aborted, and leaves no file', async () => {
    const source = write(`${format}-aborted`, sound);
    const controller = new AbortController();
    const out = join(folder, 'aborted.out');
    const running = built.convertModel(source, out, {
      signal: controller.signal,
      onProgress: () => controller.abort(),
    });
    expect(await errorOf(running)).toBe(controller.signal.reason);
    rmSync(source);
    expect(readdirSync(folder).filter((name) => name.startsWith('aborted'))).toEqual([]);
  });
});

test('weights pass through little memory', async () => {
  const module = await filesModule();
  const byteCount = 24 << 20;
  const small = writeBw2l('', [...smallBw2l, { name: 'weights', type: 'data', data: '' }]);
  const bytes = new Uint8Array(small.length + byteCount).fill(7);
  bytes.set(small);
  bytes.set(u64(byteCount), small.length - 8);
  const before = module.heapStatistics().currentBytes;
  const rewriter = new module.Rewriter(bytes.length);
  rewriter.inputWindow(64).set(bytes.subarray(0, 64));
  expect(rewriter.open(64)).toBe(true);
  let written = 0;
  const drain = (): void => {
    const output = rewriter.output();
    expect(Buffer.compare(output, bytes.subarray(written, written + output.length))).toBe(0);
    written += output.length;
    rewriter.consumeOutput();
  };
  for (let pass = 0; !rewriter.isComplete(); ++pass) {
    expect(rewriter.isWriting()).toBe(pass === 1);
    rewriter.beginPass();
    for (let at = 0; at < bytes.length;) {
      const count = rewriter.inputWindow(bytes.length - at).length;
      rewriter.inputWindow(count).set(bytes.subarray(at, at + count));
      expect(rewriter.push(count)).toBe('');
      drain();
      at += count;
    }
    expect(rewriter.finishPass()).toBe('');
    drain();
  }
  rewriter.delete();
  expect(written).toBe(bytes.length);
  expect(module.heapStatistics().peakBytes - before).toBeLessThan(4 << 20);
});

test('a Whisper is not written under the name of another kind', async () => {
  const source = write('whisper.apr', writeApr2(tinyWhisper()));
  const before = readdirSync(folder);
  for (const name of ['x.april', 'x.b2l', 'x.bw2l', 'x.TSM', 'x.onnx']) {
    const out = join(folder, name);
    const refused = { code: 'unsupported_feature', details: { subject: name } };
    expect(await errorOf(built.convertModel(source, out))).toMatchObject(refused);
    expect(await errorOf(built.unshardModel(source, out))).toMatchObject(refused);
  }
  expect(readdirSync(folder)).toEqual(before);
});

test('a TenniS node without a name is refused as inspection refuses it', async () => {
  const nodes = [{ inputs: [], parameters: [['#op', text('<param>')]] as const }];
  const source = write('nameless.tsm', writeTennis({ inputs: [0], outputs: [0], nodes }));
  const out = join(folder, 'nameless-copy.tsm');
  const refused = (await errorOf(built.inspect(source))) as { code: string; details: object };
  expect(refused).toMatchObject({ code: 'malformed', details: { subject: 'node 0: #name' } });
  const { code, details } = refused;
  expect(await errorOf(built.convertModel(source, out))).toMatchObject({ code, details });
  expect(readdirSync(folder)).not.toContain('nameless-copy.tsm');
});
