// susurrus --help: every command in one line.
import { columns, wrapped, helpWidth } from './help.js';
import type { HelpRow } from './help.js';

/** The first screen, with a row for each command. */
export function overview(commands: readonly HelpRow[]): string {
  const paragraphs = [
    'susurrus transcribes speech on your machine, with Whisper, april-asr and BW2L models; it also converts, inspects and protects ' +
      'model files, TenniS modules among them.',
    'Exit status: 0, or 64 for a wrong command or option, or the group of the error: 1 the bytes of a file, 2 not supported, 3 the ' +
      'model, 4 resources, 5 a call that was refused, 6 file or network, 9 a bug; 130 and 143 after Ctrl+C and SIGTERM. After a ' +
      'failure the other files are still processed, and the status is that of the first failure.',
  ];
  const [about = [], statuses = []] = paragraphs.map((each) => wrapped(each, helpWidth));
  const lines = [
    ...about,
    '',
    'Usage: susurrus COMMAND [options]',
    '',
    'Commands:',
    ...columns(commands, 20),
    '',
    ...columns(
      [
        ['susurrus COMMAND --help', 'the options of a command, with examples'],
        ['susurrus --version', 'the version of this package'],
      ],
      30,
    ),
    '',
    ...statuses,
  ];
  return `${lines.join('\n')}\n`;
}
