import { AudioHost } from './audio_host.js';
import { openPackets } from './open_packets.js';
import { canDecode, decodePackets } from './web_codecs.js';

/** Files of which the browser decodes one packet after the other. */
export const openAudioHost = (): AudioHost =>
  new AudioHost(
    openPackets(async (config, packets) =>
      (await canDecode(config)) ? decodePackets(config, packets) : undefined,
    ),
  );
