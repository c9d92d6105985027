// susurrus shard, unshard and convert --shard-size: what is there afterwards, and that a failed run leaves nothing.
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { flagBits, withFooter, writeApr2 } from '../support/apr2_writer.js';
import { builtPackage } from '../support/built_package.js';
import { errorOf, modelBytes, modelPath } from '../support/embedded_model.js';
import { writeHubFolder } from '../support/hub_folder.js';
import { projectRoot } from '../support/shared_folder.js';
import { writeSealed } from '../support/sealed_writer.js';
import {
  manifestBytes,
  rebuilt,
  shardName,
  tinyShards,
  writeShards,
} from '../support/sharded_model.js';
import { tinyMetadata, tinyWhisper } from '../support/tiny_whisper.js';

type Package = Awaited<ReturnType<typeof builtPackage>>;
let susurrus: Package;
const root = mkdtempSync(join(tmpdir(), 'susurrus-shard-'));
beforeAll(async () => {
  susurrus = await builtPackage();
});
afterAll(() => {
  rmSync(root, { recursive: true });
});

const newFolder = (): string => mkdtempSync(join(root, 'case-'));

function run(...args: string[]): Promise<{ status: number; stdout: string; stderr: string }> {
  return new Promise((done) => {
    const cli = join(projectRoot, 'dist/cli.mjs');
    execFile(process.execPath, [cli, ...args], { encoding: 'utf8' }, (error, stdout, stderr) => {
      done({ status: error ? Number(error.code) : 0, stdout, stderr });
    });
  });
}

interface Manifest {
  readonly shard_count: number;
  readonly shards: readonly { readonly file: string; readonly size: number }[];
  readonly tensor_shard_map: Readonly<Record<string, number>>;
}
const readManifest = (path: string): Manifest => JSON.parse(readFileSync(path, 'utf8')) as Manifest;

describe('susurrus shard', () => {
  test('writes shards and their manifest; unshard gives the file back, bit for bit', async () => {
    const folder = join(newFolder(), 'made/on/the/way');
    const limit = 600 * 1024;
    const sharded = await run('shard', modelPath, '--size', '600K', '--output', folder);
    expect([sharded.status, sharded.stdout]).toEqual([0, '']);
    const manifest = readManifest(join(folder, 'digits.apr'));
    const count = manifest.shard_count;
    expect(count).toBeGreaterThan(3);
    expect(sharded.stderr).toContain(`in ${count} shards`);
    expect(readdirSync(folder).sort()).toEqual(
      ['digits.apr', ...manifest.shards.map(({ file }) => file)].sort(),
    );
    for (const [i, { file, size }] of manifest.shards.entries()) {
      expect(file).toBe(shardName('digits', i, count));
      expect(readFileSync(join(folder, file))).toHaveLength(size);
      expect(size).toBeLessThanOrEqual(limit);
    }
    const inspected = await susurrus.inspect(join(folder, 'digits.apr'));
    expect(inspected.warnings).toEqual([]);
    expect(inspected.shards).toHaveLength(count);

    const whole = join(folder, 'whole.apr');
    expect(await run('unshard', join(folder, 'digits.apr'), '--output', whole)).toMatchObject({
      status: 0,
      stdout: '',
    });
    expect(readFileSync(whole).equals(modelBytes())).toBe(true);
  });

  test('takes a manifest too, and puts tensors in execution order', async () => {
    const whole = tinyWhisper({ compress: true, reverseData: true });
    const path = writeShards(newFolder(), tinyShards(3, { whole }));
    const folder = newFolder();
    await susurrus.shardModel(path, folder, { size: 30_000 });
    const found = await susurrus.inspect(join(folder, 'model.apr'));
    const sound = tinyWhisper();
    expect(found.tensors.map(({ name }) => name)).toEqual(sound.tensors.map(({ name }) => name));
    expect(found.shards?.every(({ flags }) => flags.includes('STREAMING'))).toBe(true);
    const original = await susurrus.inspect(path);
    const sizes = (tensors: typeof found.tensors) =>
      Object.fromEntries(tensors.map(({ name, size, rawSize }) => [name, [size, rawSize]]));
    expect(sizes(found.tensors)).toEqual(sizes(original.tensors));
  });

  test('unshard and convert keep what later shards say, and refuse contradictions', async () => {
    const folder = newFolder();
    const sharded = (second: object, first: object = {}) => {
      const model = tinyShards(3);
      for (const [at, more] of [first, second].entries()) {
        const shard = model.shards[at]!;
        model.shards[at] = { ...shard, metadata: { ...(shard.metadata as object), ...more } };
      }
      return writeShards(newFolder(), rebuilt(model));
    };
    const card = { licence: ['a', { b: 1 }], notes: 'second shard' };
    const { tokenizer_config: tokenizer } = tinyMetadata as { tokenizer_config: object };
    const path = sharded({ model_card: card, tokenizer_config: tokenizer });
    expect((await susurrus.inspect(path)).metadata.model_card).toEqual(card);
    const whole = join(folder, 'whole.apr');
    expect((await run('unshard', path, '--output', whole)).status).toBe(0);
    const { metadata } = await susurrus.inspect(whole, { full: true });
    expect(metadata).toEqual({ ...tinyMetadata, model_card: card });
    await susurrus.convertModel(path, join(folder, 'converted.apr'));
    const converted = await susurrus.inspect(join(folder, 'converted.apr'));
    expect(converted.metadata.model_card).toEqual(card);

    const split = (pre_tokenizer: string) => ({ ...tokenizer, pre_tokenizer });
    for (const [key, second, first] of [
      ['apr_version', '2.0.1', '2.0.0'],
      ['tokenizer_config', split('other'), split('one')],
    ] as const) {
      const wrong = sharded({ [key]: second }, { [key]: first });
      const to = join(folder, 'wrong.apr');
      const file = shardName('model', 1, 3);
      const refused = { code: 'malformed', details: { subject: `${file}: ${key}` } };
      expect(await errorOf(susurrus.unshardModel(wrong, to))).toMatchObject(refused);
      expect(await errorOf(susurrus.convertModel(wrong, to))).toMatchObject(refused);
      expect(existsSync(to)).toBe(false);
      const { warnings } = await susurrus.inspect(wrong);
      expect(warnings.join()).toContain(`${file}: its metadata contradict`);
    }
  });

  test('writes at an alignment of 32', async () => {
    const path = join(newFolder(), 'aligned.apr');
    const tiny = tinyWhisper();
    const odd = (name: string) => ({ name, dtype: 7, dims: [20], stored: new Uint8Array(20) });
    const whole = { ...tiny, tensors: [...tiny.tensors, odd('a'), odd('b')] };
    const source = writeShards(newFolder(), tinyShards(2, { whole }));
    const done = await run('unshard', source, '--output', path, '--alignment', '32');
    expect(done.status).toBe(0);
    const { flags, tensors, warnings } = await susurrus.inspect(path);
    expect(flags).toEqual(['ALIGNED_32', 'STREAMING']);
    expect(warnings).toEqual([]);
    expect(tensors.every(({ offset }) => offset % 32 === 0)).toBe(true);
    expect(tensors.some(({ offset }) => offset % 64 !== 0)).toBe(true);
  });

  test('leaves out the digests of the file before', async () => {
    const folder = newFolder();
    const path = join(folder, 'digested.apr');
    const { bytes } = writeSealed(tinyWhisper(), { digests: { pieceSize: 4096 } });
    writeFileSync(path, bytes);
    const to = join(folder, 'plain.apr');
    const { warnings } = await susurrus.unshardModel(path, to);
    expect(warnings.join()).toContain('piece_digests');
    expect((await susurrus.inspect(to)).metadata).not.toHaveProperty('piece_digests');
    // They are looked at first.
    bytes[bytes.length - 100]! ^= 1;
    writeFileSync(path, withFooter(bytes.subarray(0, -16)));
    await expect(susurrus.unshardModel(path, join(folder, 'other.apr'))).rejects.toMatchObject({
      code: 'checksum_mismatch',
    });
  });
});

describe('susurrus convert --shard-size', () => {
  test('gives the tensors that one file would have', async () => {
    const hub = writeHubFolder(newFolder());
    const folder = newFolder();
    const one = join(folder, 'one.apr');
    const many = join(folder, 'many.apr');
    await susurrus.convertModel(hub, one, { dtype: 'f32', compress: 'none' });
    const limit = String(readFileSync(one).length - 20_000);
    const args = ['--dtype', 'f32', '--compress', 'none', '--shard-size', limit];
    const done = await run('convert', hub, many, ...args, '--alignment', '32');
    expect(done.status).toBe(0);
    const { shard_count: count } = readManifest(many);
    expect(count).toBeGreaterThan(1);
    const whole = await susurrus.inspect(one);
    const parts = await susurrus.inspect(many);
    const facts = ({ tensors }: typeof whole) =>
      tensors.map(({ name, dtype, shape, size }) => [name, dtype, shape, size]);
    expect(facts(parts)).toEqual(facts(whole));
    expect(parts.metadata).toEqual(whole.metadata);
    const back = join(folder, 'back.apr');
    await susurrus.unshardModel(many, back);
    expect(readFileSync(back).equals(readFileSync(one))).toBe(true);

    const shown = await run('inspect', many);
    expect(shown.stdout.match(/^shard +many-0000\d-of-0000\d\.apr: \d+ tensors/gm)).toHaveLength(
      count,
    );
    const json = JSON.parse((await run('inspect', many, '--json')).stdout) as {
      shards: unknown[];
      tensors: { shard: number }[];
    };
    expect(json.shards).toHaveLength(count);
    expect(json.tensors.at(-1)?.shard).toBe(count - 1);
  });
});

describe('a run that fails leaves nothing', () => {
  const shards = () => writeShards(newFolder(), tinyShards());

  test.each([
    ['no size', ['shard', modelPath, '--output', 'x'], 64, /--size/],
    ['a size that is none', ['shard', modelPath, '--size', 'big', '--output', 'x'], 64, /500M/],
    ['no output', ['shard', modelPath, '--size', '1M'], 64, /--output FOLDER/],
    ['two files', ['unshard', 'a', 'b', '--output', 'x'], 64, /one FILE/],
    ['another alignment', ['unshard', 'a', '--output', 'x', '--alignment', '16'], 64, /64 or 32/],
  ])('%s is a usage error', async (_, args, status, says) => {
    const result = await run(...args);
    expect([result.status, result.stdout]).toEqual([status, '']);
    expect(result.stderr).toMatch(/^susurrus: [^\n]+\n$/);
    expect(result.stderr).toMatch(says);
  });

  test('shards that cannot be so small', async () => {
    const folder = join(newFolder(), 'none');
    const error = await errorOf(susurrus.shardModel(modelPath, folder, { size: 5000 }));
    expect(error).toMatchObject({ code: 'invalid_argument', details: { subject: 'shardSize' } });
    expect(existsSync(folder)).toBe(false);
  });

  test('a size beyond 2 GiB, or none', async () => {
    for (const size of [2 ** 31 + 1, 0, 1.5, undefined]) {
      const options = { size } as { size: number };
      expect(await errorOf(susurrus.shardModel(modelPath, root, options))).toMatchObject({
        code: 'invalid_argument',
        details: { subject: 'size' },
      });
    }
  });

  test('an abort in the middle', async () => {
    const folder = newFolder();
    const controller = new AbortController();
    const work = susurrus.shardModel(modelPath, folder, {
      size: 700_000,
      signal: controller.signal,
      onProgress: ({ phase, fraction = 0 }) => {
        if (phase === 'convert' && fraction > 0.5) controller.abort();
      },
    });
    expect(await errorOf(work)).toBe(controller.signal.reason);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('a damaged shard', async () => {
    const path = writeShards(newFolder(), tinyShards());
    const shard = path.replace('model.apr', shardName('model', 1, 3));
    const bytes = readFileSync(shard);
    bytes[bytes.length - 40]! ^= 1;
    writeFileSync(shard, bytes);
    const to = join(newFolder(), 'whole.apr');
    expect(await errorOf(susurrus.unshardModel(path, to))).toMatchObject({
      code: 'checksum_mismatch',
    });
    expect(existsSync(to)).toBe(false);
  });

  test('files that exist stay, unless told otherwise', async () => {
    const size = 700_000;
    const { files } = await susurrus.shardModel(modelPath, newFolder(), { size });
    const folder = newFolder();
    const there = join(folder, files![1]!);
    writeFileSync(there, 'precious');
    const error = await errorOf(susurrus.shardModel(modelPath, folder, { size }));
    expect(error).toMatchObject({ code: 'invalid_argument', details: { subject: 'force' } });
    expect(readdirSync(folder)).toEqual([files![1]]);
    expect(readFileSync(there, 'utf8')).toBe('precious');
    await susurrus.shardModel(modelPath, folder, { size, force: true });
    expect(readdirSync(folder).sort()).toEqual([...files!].sort());
    expect(readFileSync(there, 'utf8')).not.toBe('precious');
  });

  test('a manifest is not overwritten', async () => {
    const path = shards();
    const error = await errorOf(susurrus.unshardModel(path, path));
    expect(error).toMatchObject({ code: 'invalid_argument', details: { subject: 'force' } });
    expect(readFileSync(path).equals(manifestBytes(tinyShards()))).toBe(true);
  });

  test('signed and encrypted models', async () => {
    for (const bit of [flagBits.signed, flagBits.encrypted]) {
      const path = join(newFolder(), 'sealed.apr');
      writeFileSync(path, writeApr2({ ...tinyWhisper(), flags: flagBits.aligned64 | bit }));
      const to = `${path}.plain`;
      expect(await errorOf(susurrus.unshardModel(path, to))).toMatchObject({
        code: 'unsupported_feature',
        details: { subject: 'flags' },
      });
      expect(existsSync(to)).toBe(false);
    }
  });
});
