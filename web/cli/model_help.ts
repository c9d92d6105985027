// The help of the commands that fetch and convert models.
import { convertibleFiles, outputDtypes, outputFormats } from '../src/api/generated/formats.js';
import type { CommandHelp, HelpRow } from './help.js';
import { forceRow, weightRows } from './help_rows.js';

const oneOf = (names: readonly string[]): string =>
  `${names.slice(0, -1).join(', ')} or ${names.at(-1) ?? ''}`;

const filterbankRow: HelpRow = [
  '--filterbank auto|embedded|whisper',
  'which mel filterbank is written, as for transcribe (auto)',
];
const alignmentRow: HelpRow = ['--alignment 64|32', 'of each tensor in the file, in bytes (64)'];
const vocabularyRow: HelpRow = [
  '--vocabulary FILE',
  'a .tiktoken rank file, for a source without a vocabulary',
];
const shardSizeRow: HelpRow = [
  '--shard-size SIZE',
  'write several files of at most this size, such as 500M or 2G; DST is their manifest',
];
const jsonRow: HelpRow = ['--json', 'write what became of each tensor, and what it lost, as JSON'];

export const planHelp: CommandHelp = {
  summary: 'says what a model will take, before it is fetched',
  usage: ['MODEL [options]'],
  about: [
    'MODEL is a file, a URL or a name. Prints how much is to fetch, the memory it needs, and whether this machine has that.',
  ],
  sections: [
    {
      rows: [
        ['--dtype TYPE', "the type of a named model's weights (q8_0)"],
        ['--threads N|auto', 'as for transcribe'],
        ['--workers N|auto', 'so many engines (1)'],
        ['--beam-size N', 'as for transcribe'],
        ['--revise', 'count what listen --revise takes'],
        ['--speakers', 'count what telling speakers apart takes'],
        ['--vad', 'count the voice detector (yes)'],
        ['--no-vad', 'leave it out'],
        ['--json', 'the same as JSON, in bytes'],
      ],
    },
  ],
  examples: ['plan base', 'plan large-v3-turbo --dtype q5_0 --beam-size 5'],
};

export const pullHelp: CommandHelp = {
  summary: 'downloads a Whisper model from the Hugging Face hub',
  usage: ['REPO[@REVISION] [options]'],
  about: [
    'REPO is a short name (tiny.en, base, small, turbo …) or a repository such as openai/whisper-small. The model is converted while it ' +
      'downloads, and a download that was cut goes on where it stopped. Obeys HF_TOKEN, HF_ENDPOINT, HF_HUB_OFFLINE and XDG_CACHE_HOME.',
  ],
  sections: [
    {
      rows: [
        ['--dtype TYPE', 'as for convert (q8_0; f16 with apr1)'],
        ...weightRows,
        ['--format apr2|apr1', 'what is written; apr1 needs --output (apr2)'],
        ['--output FILE', 'where it is written, instead of the cache where --model finds it'],
        ['--force', 'download again what is here, and overwrite FILE'],
      ],
    },
  ],
  examples: ['pull base', 'pull openai/whisper-small@main --dtype f16 -o small.apr'],
};

export const modelsHelp: CommandHelp = {
  summary: 'lists or removes the downloaded models',
  usage: ['[--json]', 'rm NAME...'],
  about: ['NAME removes all types of a model, NAME:q8_0 that type only.'],
  sections: [
    {
      rows: [
        ['--json', 'the list as JSON'],
        ['--remove NAME', 'the same as rm NAME; may be repeated'],
      ],
    },
  ],
  examples: ['models', 'models rm tiny.en base:f16'],
};

export const convertHelp: CommandHelp = {
  summary: 'converts a Whisper model from another format, or to one',
  usage: ['SRC DST [options]'],
  about: [
    `SRC is a folder of the Hugging Face hub, MLX or faster-whisper, or a file of ${oneOf(convertibleFiles)}. ` +
      'Files of .april, BW2L and TenniS are written again in their own format, without gaps.',
  ],
  sections: [
    {
      rows: [
        [
          `--format ${outputFormats.join('|')}`,
          'what is written; with safetensors DST is a folder of the hub, or one .safetensors file (apr2)',
        ],
        [
          '--dtype TYPE',
          `of the weights: ${oneOf(outputDtypes.apr2)} (q8_0, or what SRC has if that is a model file or in blocks); ` +
            `with apr1 ${oneOf(outputDtypes.apr1)} (f16); ` +
            `with safetensors ${oneOf(outputDtypes.safetensors)}, for all weights (what SRC has); ` +
            `with ggml ${oneOf(outputDtypes.ggml)} (what SRC has)`,
        ],
        ...weightRows,
        ['--compress lz4|none', 'compression (lz4; none with apr1)'],
        vocabularyRow,
        filterbankRow,
        ['--metadata FILE', 'the config.json of a SafeTensors file that lies elsewhere'],
        shardSizeRow,
        alignmentRow,
        jsonRow,
        forceRow,
      ],
    },
  ],
  examples: [
    'convert whisper-base base.apr --dtype q8_0',
    'convert base.apr ggml-base.bin --format ggml',
  ],
};

export const upgradeHelp: CommandHelp = {
  summary: 'converts an APR1 file to APR2 with the same values',
  usage: ['SRC DST [options]'],
  sections: [
    {
      rows: [
        [
          '--dtype TYPE',
          "another type of the weights; q8_0 keeps int8's integers and rounds their scales to f16 (what SRC has)",
        ],
        ...weightRows,
        ['--compress lz4|none', 'compression (lz4)'],
        vocabularyRow,
        filterbankRow,
        shardSizeRow,
        alignmentRow,
        jsonRow,
        forceRow,
      ],
    },
  ],
  examples: ['upgrade old.apr new.apr', 'upgrade old.apr new.apr --dtype q8_0 --force'],
};

export const shardHelp: CommandHelp = {
  summary: 'splits a model file into shards and their manifest',
  usage: ['FILE --size SIZE --output FOLDER [options]'],
  about: ['The tensors are kept as they are stored.'],
  sections: [
    {
      rows: [
        ['--size SIZE', 'of a shard at most, such as 500M or 2G'],
        ['--output FOLDER', 'where the shards and their manifest go'],
        alignmentRow,
        forceRow,
      ],
    },
  ],
  examples: [
    'shard large.apr --size 500M --output parts',
    'shard base.apr --size 20M -o public/models/base --force',
  ],
};

export const unshardHelp: CommandHelp = {
  summary: 'joins shards into one model file',
  usage: ['MANIFEST --output FILE [options]'],
  sections: [{ rows: [['--output FILE', 'the model file'], alignmentRow, forceRow] }],
  examples: [
    'unshard parts/large.apr --output large.apr',
    'unshard parts/large.apr -o large.apr --alignment 32',
  ],
};
