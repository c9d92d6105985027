// Opus packets of WebM, Matroska and MP4 files where WebCodecs does not decode them.
import type { EncodedPacket } from 'mediabunny';
import type { Block } from './blocks.js';
import { audioError } from './failures.js';

/** `config`: its description is the stream's OpusHead. */
export async function* decodeOpus(
  { numberOfChannels, description }: AudioDecoderConfig,
  packets: AsyncGenerator<EncodedPacket, undefined>,
): AsyncGenerator<Block, undefined> {
  const { OpusDecoder } = await import(
    /* webpackIgnore: true */ /* turbopackIgnore: true */ 'opus-decoder'
  );
  const head = description ? bytesOf(description) : new Uint8Array();
  const family = head[18] ?? 0;
  const decoder = new OpusDecoder({
    channels: numberOfChannels,
    preSkip: (head[10] ?? 0) + 256 * (head[11] ?? 0),
    ...(family > 0 && {
      streamCount: head[19] ?? 1,
      coupledStreamCount: head[20] ?? 0,
      channelMappingTable: [...head.subarray(21, 21 + numberOfChannels)],
    }),
  });
  let seconds = 0;
  try {
    await decoder.ready;
    for await (const packet of packets) {
      const { channelData, samplesDecoded, sampleRate, errors } = decoder.decodeFrame(packet.data);
      const [error] = errors;
      if (error) {
        throw audioError('malformed', 'The Opus sound is damaged', { seconds, got: error.message });
      }
      seconds += samplesDecoded / sampleRate;
      yield { planes: channelData.map((plane) => plane.subarray(0, samplesDecoded)), sampleRate };
    }
  } finally {
    decoder.free();
  }
}

const bytesOf = (source: AllowSharedBufferSource): Uint8Array =>
  ArrayBuffer.isView(source)
    ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
    : new Uint8Array(source);
