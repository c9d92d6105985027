// What is wrong with a file, in one sentence that a person can act on.
import { SusurrusError } from '../../src/index.js';
import { strings } from '../strings.js';

/** The sentence for an error of a load, a conversion or a transcription; other errors have the package's own message. */
export function plainProblem(error: unknown): string {
  const { name = '', message = String(error) } = error as Partial<Error>;
  if (/^(NotFound|NotReadable)Error$/.test(name)) return strings.files.gone;
  return (error instanceof SusurrusError ? sentenceFor(error) : undefined) ?? message;
}

function sentenceFor({ code, details, message }: SusurrusError): string | undefined {
  const { files } = strings;
  const { got = '', subject, reason } = details;
  // Every decoder gave up before the first sound: damage looks like a kind that the browser does not know.
  if (reason === 'bad_audio' && / at 0\.000 s$/.test(got)) return files.notBegun;
  switch (code) {
    case 'unknown_format':
      return wrongKind(details);
    case 'truncated_input':
      if (subject === 'audio' || reason === 'bad_audio') return files.cutRecording;
      if (got === '0') return files.empty;
      return incompletePart(message) ?? files.cut;
    case 'malformed':
      return (
        incompletePart(message) ?? (reason === 'bad_audio' ? files.damagedRecording : files.damaged)
      );
    case 'checksum_mismatch':
      return files.damaged;
    case 'source_failed':
      if (/NotFoundError|NotReadableError/.test(got)) return files.gone;
      return /no audio file/.test(message) ? notDecoded(details) : notFetched(message, got);
    case 'unsupported_feature':
      if (/has no audio track/.test(message)) return files.noSound;
      return subject === 'audio' || /^WAV/.test(subject ?? '') ? notDecoded(details) : undefined;
    case 'unsupported_operator': {
      // "node 7 "conv" (Einsum)"
      const [step] = /node \d+ [^:.]*/.exec(message) ?? [];
      return step === undefined ? undefined : files.unknownStep(step.trim());
    }
    case 'out_of_memory':
      return files.outOfMemory;
    default:
      return undefined;
  }
}

/** Names of codecs that people may have heard of. */
const codecNames: Readonly<Record<string, string>> = {
  alac: 'Apple Lossless (ALAC)',
  'ac-3': 'Dolby Digital (AC-3)',
  ac3: 'Dolby Digital (AC-3)',
  'ec-3': 'Dolby Digital Plus (E-AC-3)',
  eac3: 'Dolby Digital Plus (E-AC-3)',
};

/** The codec is told apart from the file's kind: one M4A can be read where another cannot. */
function notDecoded({ got = '' }: SusurrusError['details']): string {
  const [, codec = ''] = / with (\S+)$/.exec(got) ?? [];
  const { files } = strings;
  if (got === 'a web page') return files.webPage;
  if (got === 'a text') return files.other(got);
  return codec === '' ? files.notDecoded : files.notDecodedKind(codecNames[codec] ?? codec);
}

/** `got`: "HTTP 503, text/html", or what fetch() or the connection's stream rejected with. */
function notFetched(message: string, got: string): string | undefined {
  const { files } = strings;
  const [, status] = /^HTTP (\d+)/.exec(got) ?? [];
  if (status !== undefined) {
    if (/^(5..|408|429)$/.test(status)) return files.serverBusy;
    return /^2/.test(status) ? files.pageInstead : files.notGiven(`HTTP ${status}`);
  }
  return /the request failed|the connection (was cut|ended)/.test(message) || /TypeError/.test(got)
    ? files.notReached
    : undefined;
}

/** "This download is incomplete: 20.0 of 42.8 MB are here." */
const incompletePart = (message: string): string | undefined =>
  /This download is incomplete: .*?again\./.exec(message)?.[0];

function wrongKind({ got = '' }: SusurrusError['details']): string {
  const { files } = strings;
  if (/empty file/.test(got)) return files.empty;
  if (/HTML/.test(got)) return files.webPage;
  if (/Git LFS/.test(got)) return files.pointer;
  if (/archive/.test(got)) return files.archive(got);
  if (/without the mark/.test(got)) return files.unknown;
  if (/JSON/.test(got)) return files.json;
  return files.other(got);
}
