// What npm run profile makes of a link map and of a CPU profile.
import { describe, expect, test } from '@jest/globals';
import { readLinkMap } from '../../scripts/profile/link_map.mjs';
import { outside, selfTimes } from '../../scripts/profile/shares.mjs';

const linkMap = `    Addr      Off     Size Out     In      Symbol
       -     104a      111 EXPORT
       -     1470    83dd9 CODE
       -     148e      2b5         CMakeFiles/kernels.dir/src/kernels/add/simd128.cc.o:(_ZN8susurrus3addEv)
       -     148e      2b5                 susurrus::add()
       -    55972       66         libsusurrus_core.a(greedy.cc.o):(_ZN8susurrus6GreedyC2Ev)
       -    55972       66                 susurrus::Greedy::Greedy()
       -    55972       66                 susurrus::Greedy::Greedy()
       -    5afff        5         libsusurrus_core.a(utf8.cc.o):(_ZN8susurrus4utf8Ev)
       -    5afff        5                 susurrus::utf8()
       -    5b000        5         CMakeFiles/b.dir/bindings/values.cc.o:(_ZN8susurrus4utf8Ev)
       -    5b000        5                 susurrus::(anonymous namespace)::view()
       -    5b005        5         /some/where/libc-mt.a(memset.o):(memset)
       -    5b005        5                 memset
       -    85249     a068 DATA
     400    85252       28         CMakeFiles/kernels.dir/src/kernels/add/simd128.cc.o:(.rodata)
     400    85252       28                 susurrus::kConstants
`;
const sources = ['src/base/utf8.cc', 'src/decode/greedy.cc', 'src/text/utf8.cc'];

test('functions are found in the folders that they are linked from', () => {
  expect(Object.fromEntries(readLinkMap(linkMap, sources))).toEqual({
    'susurrus::add()': 'src/kernels',
    'susurrus::Greedy::Greedy()': 'src/decode',
    'susurrus::utf8()': 'src/base or src/text',
    'susurrus::(anonymous namespace)::view()': 'bindings',
    memset: 'c',
  });
});

describe('shares of a profile', () => {
  const frame = (functionName: string, url = 'wasm://wasm/1') => ({ functionName, url });
  const nodes = [
    { id: 1, callFrame: frame('(root)', ''), children: [2, 7] },
    { id: 2, callFrame: frame('transcribe', 'file:///node.mjs'), children: [3, 5, 6] },
    { id: 3, callFrame: frame('susurrus::add()'), children: [4] },
    { id: 4, callFrame: frame('memset') },
    { id: 5, callFrame: frame('memset') },
    { id: 6, callFrame: frame('js-to-wasm') },
    { id: 7, callFrame: frame('(idle)', '') },
  ];
  const samples = [3, 3, 3, 3, 4, 2, 5, 6, 7, 3];
  // A long time between two samples counts as any other.
  const timeDeltas = [0, 500, 500, 500, 500, 500, 90_000, 500, 500, 500];
  const times = selfTimes({ nodes, samples, timeDeltas }, readLinkMap(linkMap, sources));

  test('every sample counts for its folder, a library for its caller', () => {
    expect(times.total).toBeCloseTo(5);
    expect(Object.fromEntries(times.places.map(({ place, ms }) => [place, ms]))).toEqual({
      'src/kernels': 3,
      JavaScript: 0.5,
      c: 0.5,
      wasm: 0.5,
      idle: 0.5,
    });
    expect(times.functions[0]).toEqual({ place: 'src/kernels', name: 'susurrus::add()', ms: 2.5 });
    expect(times.functions).toContainEqual({ place: 'src/kernels', name: 'memset', ms: 0.5 });
  });

  test('what is outside the expected places', () => {
    expect(outside(times, ['src/kernels', 'src/audio'])).toBeCloseTo(2);
  });
});
