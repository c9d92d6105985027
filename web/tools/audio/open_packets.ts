// A file that is demuxed here and decoded packet by packet.
import type { EncodedPacket } from 'mediabunny';
import type { DecodedPiece } from '../../src/protocol/audio.js';
import { openAiff } from './aiff.js';
import type { OpenFile } from './audio_host.js';
import { inPieces, type Block, type Spent } from './blocks.js';
import { openContainer, type Track } from './container.js';
import { audioError, lasting } from './failures.js';

/** Decoded blocks of a track, or undefined where there is no decoder for it here. */
export type DecodeTrack = (
  config: AudioDecoderConfig,
  packets: AsyncGenerator<EncodedPacket, undefined>,
) => Promise<AsyncGenerator<Block, undefined> | undefined>;

/** Containers with the given decoders; AIFF, which is only samples, without any. */
export function openPackets(decode: DecodeTrack): OpenFile {
  return async (file, spent) => {
    const aiff = await openAiff(file);
    if (aiff) return aiff;
    const container = await openContainer(file);
    if (!container) return { facts: undefined };
    const { track } = container;
    const close = (): void => container.close();
    const blocks = track.config && (await decode(track.config, track.packets));
    if (!blocks) {
      close();
      return { facts: track.facts };
    }
    const { facts } = track;
    const pieces = piecesOf(track, blocks, spent, close);
    const isPromise = facts.format === 'FLAC' && facts.duration !== undefined;
    return { facts, pieces: isPromise ? lasting(facts.duration, facts.format, pieces) : pieces };
  };
}

async function* piecesOf(
  { facts, padding }: Track,
  blocks: AsyncGenerator<Block, undefined>,
  spent: Spent,
  close: () => void,
): AsyncGenerator<DecodedPiece, undefined> {
  let isEmpty = true;
  try {
    for await (const piece of inPieces(blocks, padding, spent)) {
      isEmpty = false;
      yield piece;
    }
    if (isEmpty) throw audioError('malformed', `This ${facts.format} file holds no sound`);
  } finally {
    await blocks.return(undefined);
    close();
  }
}
