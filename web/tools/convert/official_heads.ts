import type { Architecture } from '../../src/api/generated/whisper.js';

/**
 * Vocabulary, width, layers of the encoder, layers of the decoder → [layer, head] pairs of the decoder's cross-attention, as
 * openai/whisper and distil-whisper publish them. large-v1 and large-v2 differ in nothing but weights and heads.
 */
const checkpoints: Record<string, string> = {
  '51864 384 4 4': '1,0 2,0 2,5 3,0 3,1 3,2 3,3 3,4',
  '51865 384 4 4': '2,2 3,0 3,2 3,3 3,4 3,5',
  '51864 512 6 6': '3,3 4,7 5,1 5,5 5,7',
  '51865 512 6 6': '3,1 4,2 4,3 4,7 5,1 5,2 5,4 5,6',
  '51864 768 12 12':
    '6,6 7,0 7,3 7,8 8,2 8,5 8,7 9,0 9,4 9,8 9,10 10,0 10,1 10,2 10,3 10,6 10,11 11,2 11,4',
  '51865 768 12 12': '5,3 5,9 8,0 8,4 8,7 8,8 9,0 9,7 9,9 10,5',
  '51864 768 12 4': '1,7 2,0 2,3 2,4 3,2 3,4 3,5 3,10',
  '51864 1024 24 24':
    '11,4 14,1 14,12 14,14 15,4 16,0 16,4 16,9 17,12 17,14 18,7 18,10 18,15 20,0 20,3 20,9 20,14 21,12',
  '51865 1024 24 24': '13,15 15,4 15,15 16,1 20,0 23,4',
  '51866 1280 32 32': '7,0 10,17 12,18 13,12 16,1 17,14 19,11 21,4 24,1 25,6',
  '51866 1280 32 4': '2,4 2,11 3,3 3,6 3,11 3,14',
};

/** Those of the published checkpoint of these dimensions, whose heads fine-tuned ones keep; empty where none has them. */
export function officialHeads(architecture: Architecture): number[][] {
  const { n_vocab, n_audio_state, n_audio_layer, n_text_layer } = architecture;
  const heads = checkpoints[[n_vocab, n_audio_state, n_audio_layer, n_text_layer].join(' ')];
  return heads?.split(' ').map((pair) => pair.split(',').map(Number)) ?? [];
}
