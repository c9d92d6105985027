import { describe, expect, test } from '@jest/globals';
import type { Architecture } from '../../web/src/api/generated/whisper.js';
import { metadataText, type MetadataParts } from '../../web/tools/convert/metadata.js';

/** Alignment heads that the converter writes for a checkpoint; only `generation` may name some. */
function headsOf(
  [vocabulary, width, encoderLayers, decoderLayers, headCount]: readonly number[],
  generation?: MetadataParts['generation'],
): unknown {
  const architecture = {
    n_vocab: vocabulary,
    n_audio_state: width,
    n_text_state: width,
    n_audio_layer: encoderLayers,
    n_text_layer: decoderLayers,
    n_audio_head: headCount,
    n_text_head: headCount,
    n_audio_ctx: 1500,
    n_text_ctx: 448,
    n_mels: 80,
  } as Architecture;
  const text = metadataText({
    architecture,
    config: {},
    generation,
    vocabulary: undefined,
    filterbank: new Float32Array(),
    dtype: 'f16',
    format: 'ggml',
  });
  return (JSON.parse(text) as { alignment_heads?: unknown }).alignment_heads;
}

const tiny = [51865, 384, 4, 4, 6];

describe('alignment heads', () => {
  test('a checkpoint of official dimensions gets the published ones', () => {
    expect(headsOf(tiny)).toEqual([
      [2, 2],
      [3, 0],
      [3, 2],
      [3, 3],
      [3, 4],
      [3, 5],
    ]);
    // openai/whisper lists so many for these.
    const counts = [
      [[51864, 384, 4, 4, 6], 8],
      [[51864, 512, 6, 6, 8], 5],
      [[51865, 512, 6, 6, 8], 8],
      [[51864, 768, 12, 12, 12], 19],
      [[51865, 768, 12, 12, 12], 10],
      [[51864, 768, 12, 4, 12], 8],
      [[51864, 1024, 24, 24, 16], 18],
      [[51865, 1024, 24, 24, 16], 6],
      [[51866, 1280, 32, 32, 20], 10],
      [[51866, 1280, 32, 4, 20], 6],
    ] as const;
    for (const [dimensions, count] of counts) {
      const heads = headsOf(dimensions) as [number, number][];
      expect(heads).toHaveLength(count);
      for (const [layer, head] of heads) {
        expect(layer).toBeLessThan(dimensions[3]);
        expect(head).toBeLessThan(dimensions[4]);
      }
    }
  });

  test('large-v1 and large-v2 look alike, and other dimensions have no published ones', () => {
    expect(headsOf([51865, 1280, 32, 32, 20])).toBeUndefined();
    expect(headsOf([51865, 384, 4, 2, 6])).toBeUndefined();
    expect(headsOf([50000, 384, 4, 4, 6])).toBeUndefined();
  });

  test('what the checkpoint states comes first, if the model has any of it', () => {
    expect(headsOf(tiny, { alignment_heads: [[1, 1]] })).toEqual([[1, 1]]);
    expect(
      headsOf(tiny, {
        alignment_heads: [
          [1, 1],
          [9, 0],
        ],
      }),
    ).toEqual([[1, 1]]);
    expect(headsOf(tiny, { alignment_heads: [[9, 0]] })).toHaveLength(6);
  });
});
