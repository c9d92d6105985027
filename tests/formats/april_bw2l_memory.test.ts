// Files that promise or hold far more than any model: the memory that reading and describing them takes.
import { describe, expect, test } from '@jest/globals';
import { smallApril, writeApril } from '../support/april_writer.js';
import { layers, longString, pairs, smallBw2l, writeBw2l } from '../support/bw2l_writer.js';
import { filesModule } from '../support/files_module.js';
import { joined, u64, type Part } from '../support/little_endian.js';

const limit = 16 << 20;

/** The peak of the module's heap while a file is read and, if that goes well, described. */
async function peakOf(bytes: Uint8Array): Promise<{ error: string; peak: number }> {
  const module = await filesModule();
  const before = module.heapStatistics().currentBytes;
  const inspector = new module.Inspector();
  inspector.describeAll();
  let error = '';
  for (let at = 0; at < bytes.length && error === '';) {
    const window = inspector.inputWindow(bytes.length - at);
    // The view is gone when the memory grows.
    const count = window.length;
    window.set(bytes.subarray(at, at + count));
    error = inspector.push(count);
    at += count;
  }
  error ||= inspector.finish();
  if (error === '') inspector.facts();
  return {
    error: error && (JSON.parse(error) as { code: string }).code,
    peak: module.heapStatistics().peakBytes - before,
  };
}

const withLayers = (data: Part): Uint8Array =>
  writeBw2l('', [...smallBw2l, { name: 'more', type: 'layers', data }]);
const tokens = Array.from({ length: 100_000 }, (_, i) => i.toString(36)).join('\n');

const files: Readonly<Record<string, readonly [string, Uint8Array]>> = {
  'a name of 2^40 bytes': [
    'limit_exceeded',
    joined(
      'APRILMDL',
      Uint8Array.of(1, 0, 0, 0),
      u64(2 ** 41),
      new Uint8Array(8),
      u64(2 ** 40),
      'x',
    ),
  ],
  'networks of 2^50 bytes': [
    'malformed',
    (() => {
      const bytes = writeApril(smallApril);
      bytes.set(u64(2 ** 50), 166 - 8);
      return bytes;
    })(),
  ],
  '30,000 arrays': [
    '',
    withLayers(
      layers([
        { arch: '', arrays: Array.from({ length: 30_000 }, () => joined('\x02i8', u64(0))) },
      ]),
    ),
  ],
  '16,000 sections': [
    '',
    writeBw2l('', [
      ...smallBw2l,
      ...Array.from({ length: 16_000 }, () => ({ name: '', type: '', data: '' })),
    ]),
  ],
  '50,000 pairs': [
    '',
    writeBw2l('', [
      ...smallBw2l,
      {
        name: 'p',
        type: 'keyval',
        data: joined(...Array.from({ length: 50_000 }, () => pairs({ a: '' }))),
      },
    ]),
  ],
  '100,000 tokens': [
    '',
    writeBw2l(
      '',
      smallBw2l
        .filter(({ name }) => name !== 'transitions')
        .map((section) =>
          section.name === 'tokens'
            ? { ...section, data: tokens }
            : section.name === 'config'
              ? { ...section, data: pairs({ criterion: 'ctc' }) }
              : section,
        ),
    ),
  ],
  'a line of a terabyte': ['malformed', withLayers([u64(1), u64(2 ** 40), longString('')])],
};

describe.each(Object.entries(files))('%s', (_, [code, bytes]) => {
  test('takes at most 16 MiB more than the file has', async () => {
    const { error, peak } = await peakOf(bytes);
    expect(error).toBe(code);
    expect(peak).toBeGreaterThan(0);
    expect(peak).toBeLessThan(limit + bytes.length);
  });
});
