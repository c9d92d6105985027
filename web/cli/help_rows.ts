// What the help says of options that several commands have.
import { cliOptions, optionUsage } from '../src/api/generated/cli_options.js';
import type { CliCall } from '../src/api/generated/cli_options.js';
import type { HelpRow, HelpSection } from './help.js';

export const keyRows: readonly HelpRow[] = [
  ['--key FILE', 'the key of an encrypted model'],
  ['--passphrase-file FILE', 'a file with the passphrase of an encrypted model'],
  [
    '--public-key KEY',
    'the model must be signed with this key: its file, or its 64 hexadecimal digits; may be repeated',
  ],
];

export const modelSection: HelpSection = {
  title: 'The model',
  rows: [
    [
      '--model FILE|NAME',
      'a model file (.apr, .april, .b2l), its URL, or a name (tiny.en, base:q5_1, OWNER/NAME), which is downloaded unless it was ' +
        'pulled before (the one that SUSURRUS_MODEL names, else the one pulled last, else base)',
    ],
    ...keyRows,
    ['--variant simd|relaxed', 'which engine runs (the fastest one)'],
    ['--threads N|auto', '1 to 8, or auto: as many as the machine has processors (auto)'],
    [
      '--vocabulary FILE',
      'a .tiktoken rank file, for a model without a vocabulary or with a wrong one',
    ],
    [
      '--filterbank auto|embedded|whisper',
      "the mel filterbank: the file's, or Whisper's. auto takes the file's, but Whisper's instead of the HTK one that a known " +
        'converter wrote into APR1 files by mistake (auto)',
    ],
    [
      '--lexicon FILE',
      'BW2L models: the words that a beam search may write, each on a line with its tokens',
    ],
    [
      '--lm FILE',
      'BW2L models: a language model as ARPA text, of the words of --lexicon, or of tokens without it',
    ],
  ],
};

export const outputSection: HelpSection = {
  title: 'Output',
  rows: [
    [
      '--colors',
      'text on a terminal: what is less than 70 % probable in yellow, than 40 % in red; of words where they have times, else of ' +
        'lines. FORCE_COLOR and NO_COLOR are obeyed',
    ],
    [
      '--format FORMATS',
      'one or several of txt, srt, vtt, tsv, json, lrc, csv, verbose_json; or all (txt; json for align)',
    ],
    [
      '--output-dir DIR',
      'write files named after the recordings, all formats of a recording or none; recordings in subfolders of a named folder go ' +
        'to the same subfolders. Without it one format goes to stdout',
    ],
    ['--beside', 'write such files beside the recordings instead'],
    [
      '--max-line-width N',
      'columns in a line of subtitles, two for a full-width character; needs --timestamps word (none)',
    ],
    ['--max-line-count N', 'lines of a subtitle; needs --timestamps word (none)'],
    ['--max-words-per-line N', 'words in a line of subtitles; needs --timestamps word (none)'],
    ['--highlight-words', 'mark each word while it is spoken; needs --timestamps word'],
    [
      '--profile netflix|bbc|plain',
      'srt, vtt: subtitles that keep the rules of a house; excludes the limits above, and is better with --timestamps word',
    ],
    [
      '--escape-formulas',
      'csv: put an apostrophe before text that a spreadsheet would run as a formula (= + - @)',
    ],
  ],
};

export const weightRows: readonly HelpRow[] = [['--quantize TYPE', 'another name of --dtype']];

export const forceRow: HelpRow = ['--force', 'overwrite what is there'];

type Group = keyof typeof optionUsage;
const nameOf = ([option]: HelpRow): string => /^--([\w-]+)/.exec(option)?.[1] ?? '';

/** Those of a group that this call takes. */
function groupRows(group: Group, call: CliCall, alsoTaken: readonly string[]): HelpRow[] {
  const rows: readonly HelpRow[] = optionUsage[group];
  const taken = new Set(
    cliOptions.flatMap(({ option, calls }) => (calls.includes(call) ? [option] : [])),
  );
  return rows.filter((row) => taken.has(nameOf(row)) || alsoTaken.includes(nameOf(row)));
}

const groupTitles: Readonly<Record<Group, string>> = {
  text: 'The text',
  decoding: 'Decoding (the word none switches a threshold or limit off)',
  recording: 'The recording',
  beam: 'Beam search of BW2L models (with --lexicon, --lm or --beam-size)',
};

/**
 * The generated options of a call, in groups. An option that Whisper and BW2L models both have stands in one place, with what it
 * is for each.
 */
export function optionSections(
  call: CliCall,
  alsoTaken: readonly string[] = [],
): readonly HelpSection[] {
  const rows = new Map(
    (Object.keys(groupTitles) as Group[]).map((group) => [
      group,
      group === 'beam' && call !== 'transcribe' && call !== 'stream'
        ? []
        : groupRows(group, call, alsoTaken),
    ]),
  );
  const decoding = rows.get('decoding') ?? [];
  const beam = rows.get('beam') ?? [];
  if (call === 'stream') {
    // Streams of Whisper models have no beams.
    const own = decoding.filter((row) => !beam.some((each) => nameOf(each) === nameOf(row)));
    rows.set('decoding', own);
  } else {
    rows.set(
      'decoding',
      decoding.map((row) => {
        const other = beam.find((each) => nameOf(each) === nameOf(row));
        return other ? [row[0], `${row[1]}. BW2L models: ${other[1]}`] : row;
      }),
    );
    rows.set(
      'beam',
      beam.filter((row) => !decoding.some((each) => nameOf(each) === nameOf(row))),
    );
  }
  return [...rows].flatMap(([group, each]) =>
    each.length === 0 ? [] : [{ title: groupTitles[group], rows: each }],
  );
}
