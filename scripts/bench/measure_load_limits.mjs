// What loading cannot do without, each by itself in WebAssembly (tests/bench_load): in Node and in a browser's worker.
import { createEngineModule } from './engine_module.mjs';
import { median } from '../statistics.mjs';

const rounds = 5;

async function openLimits(place, bytes) {
  const folder = 'build/wasm/load_limits';
  const module = await createEngineModule(place, `${folder}.mjs`, `${folder}.wasm`);
  const take = (byteCount) => {
    const address = module.take(byteCount);
    if (address === 0) throw new Error('There is no memory.');
    return address;
  };
  const from = take(bytes.length);
  const setMs = time(() => module.HEAPU8.set(bytes, from));
  return { module, take, from, setMs };
}

function time(work) {
  const start = performance.now();
  work();
  return performance.now() - start;
}

const medianTime = (work) => median(Array.from({ length: rounds }, () => time(work)));

/**
 * job: {raw, lz4, ranges}: two model files, and of each compressed tensor [offset, stored bytes, raw bytes]. Bytes a second by
 * name; Fresh: into memory that is new, once.
 */
export async function measureLoadLimits({ raw, lz4, ranges }, place) {
  const rates = {};
  const rate = (name, byteCount, milliseconds) => {
    rates[name] = (1000 * byteCount) / milliseconds;
  };

  const bytes = await place.read(raw);
  const { length } = bytes;
  {
    // As a load from a stream has it to begin with: a file, or the local server.
    const start = performance.now();
    await place.readThrough(raw);
    rate('read', length, performance.now() - start);
  }
  {
    const { module, take, from, setMs } = await openLimits(place, bytes);
    rate('setFresh', length, setMs);
    rate(
      'set',
      length,
      medianTime(() => module.HEAPU8.set(bytes, from)),
    );
    const to = take(length);
    rate(
      'copyFresh',
      length,
      time(() => module.copy(to, from, length)),
    );
    rate(
      'copy',
      length,
      medianTime(() => module.copy(to, from, length)),
    );
    rate(
      'crc32',
      length,
      medianTime(() => module.crc32(from, length)),
    );
    rate(
      'crc32Cached',
      length,
      medianTime(() => module.crc32Cached(from, length)),
    );
  }
  const decodedBytes = ranges.reduce((sum, [, , rawBytes]) => sum + rawBytes, 0);
  if (decodedBytes === 0) return rates;

  const { module, take, from } = await openLimits(place, await place.read(lz4));
  const decode = (to) => {
    let at = to;
    for (const [offset, storedBytes, rawBytes] of ranges) {
      if (!module.decode(at, rawBytes, from + offset, storedBytes)) {
        throw new Error('A tensor does not decode.');
      }
      at += rawBytes;
    }
  };
  const touched = take(decodedBytes);
  decode(touched); // so that the compiler has done what it does, too
  rate(
    'lz4',
    decodedBytes,
    medianTime(() => decode(touched)),
  );
  const fresh = take(decodedBytes);
  rate(
    'lz4Fresh',
    decodedBytes,
    time(() => decode(fresh)),
  );
  return rates;
}
