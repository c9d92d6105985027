// The help of the commands that look into model files, and protect them.
import type { CommandHelp, HelpRow } from './help.js';
import { forceRow, keyRows } from './help_rows.js';

const outputRow: HelpRow = ['--output OUT', 'the file that is written'];

export const inspectHelp: CommandHelp = {
  summary: 'describes model files',
  usage: ['FILE... [options]'],
  about: [
    'FILE is a model file, a folder of the hub or of faster-whisper, or a URL. No more of it is read than the description takes.',
  ],
  sections: [
    {
      rows: [
        ['--json', 'the same as JSON'],
        ['--stats', 'also the least, greatest and mean value of each tensor; reads all of them'],
        ['--full', 'lists and texts of any length, such as the vocabulary'],
        [
          '--shape [NAME=]1x3x224x224',
          "the shape of a TenniS module's input, ? where it is open; shows shapes and cost of the nodes where the file does not say " +
            'them; may be repeated',
        ],
      ],
    },
    { title: 'Encrypted and signed files, which are verified', rows: keyRows },
  ],
  examples: ['inspect base.apr --json', 'inspect https://example.com/base.apr'],
};

export const extractHelp: CommandHelp = {
  summary: 'writes one tensor or another part of a model file',
  usage: ['FILE NAME OUT [--force]'],
  about: [
    "NAME is a tensor, which is written as NumPy's .npy; a network of an .april file (encoder, decoder or joiner), which becomes an " +
      'ONNX model; vocabulary or tokens (JSON); filterbank (.npy); section:NAME, the bytes of a section of a BW2L or APR1 file; or #7, ' +
      'the constant of node 7 of a TenniS module.',
  ],
  sections: [{ rows: [forceRow] }],
  examples: [
    'extract base.apr decoder.ln.weight out.npy',
    'extract speech.april encoder encoder.onnx',
  ],
};

export const verifyHelp: CommandHelp = {
  summary: 'checks model files completely',
  usage: ['FILE... [options]'],
  about: [
    'Lists each check and its outcome. Checks signatures with --public-key, and with --key or --passphrase-file that every piece can be ' +
      'decrypted. The exit status is 1 when a check failed.',
  ],
  sections: [{ rows: [['--json', 'the same as JSON'], ...keyRows] }],
  examples: ['verify base.apr', 'verify base.sealed.apr --public-key me.pub --key model.aes'],
};

export const digestsHelp: CommandHelp = {
  summary: 'adds a digest for each mebibyte, for downloads that are resumed',
  usage: ['FILE --output OUT [--force]'],
  sections: [{ rows: [outputRow, forceRow] }],
  examples: ['digests base.apr --output base.digests.apr', 'digests base.apr -o out.apr --force'],
};

export const keygenHelp: CommandHelp = {
  summary: 'makes keys for signing or encrypting',
  usage: ['[options]'],
  about: ['Writes PREFIX.key, which signs and is secret, and PREFIX.pub.'],
  sections: [
    {
      rows: [
        ['--output PREFIX', 'how the files are called (susurrus)'],
        ['--symmetric', 'a key for encrypting instead: PREFIX.aes'],
        forceRow,
      ],
    },
  ],
  examples: ['keygen --output me', 'keygen --output model --symmetric'],
};

export const signHelp: CommandHelp = {
  summary: 'writes a signed copy of a model file',
  usage: ['FILE --key KEY --output OUT [--force]'],
  sections: [{ rows: [['--key KEY', "keygen's PREFIX.key"], outputRow, forceRow] }],
  examples: [
    'sign base.apr --key me.key --output base.signed.apr',
    'sign base.encrypted.apr --key me.key -o base.sealed.apr',
  ],
};

export const encryptHelp: CommandHelp = {
  summary: 'writes an encrypted copy of a model file',
  usage: [
    'FILE --key KEY --output OUT [--force]',
    'FILE --passphrase-file FILE --output OUT [--force]',
  ],
  sections: [
    {
      rows: [
        ['--key KEY', "keygen's PREFIX.aes"],
        ['--passphrase-file FILE', 'the passphrase is its text without the last line break'],
        outputRow,
        forceRow,
      ],
    },
  ],
  examples: [
    'encrypt base.apr --key model.aes --output base.encrypted.apr',
    'encrypt base.apr --passphrase-file secret.txt -o base.encrypted.apr',
  ],
};
