// The module worker that decodes audio files in a browser, started when the first compressed file is given.
import { AudioHost } from './audio_host.js';
import { openPackets } from './open_packets.js';
import { canDecode, decodePackets } from './web_codecs.js';
import { answerMessages } from '../../src/worker/host.js';

answerMessages(
  new AudioHost(
    openPackets(async (config, packets) =>
      (await canDecode(config)) ? decodePackets(config, packets) : undefined,
    ),
  ),
);
