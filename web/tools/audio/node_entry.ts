// Audio files in Node, which has no decoders of its own. A file of its own, loaded with the first compressed recording.
import { AudioHost } from './audio_host.js';
import { openBytes } from './node_bytes.js';
import { openPackets } from './open_packets.js';
import { decodeOpus } from './opus.js';
import { canDecode, decodePackets } from './web_codecs.js';

export { AudioHost };

/** Programs may bring WebCodecs along, for AAC above all. */
const openTrack = openPackets(async (config, packets) => {
  if (await canDecode(config)) return decodePackets(config, packets);
  return config.codec === 'opus' ? decodeOpus(config, packets) : undefined;
});

export const openAudioHost = (): AudioHost =>
  new AudioHost(async (file, spent) => (await openBytes(file, spent)) ?? openTrack(file, spent));
