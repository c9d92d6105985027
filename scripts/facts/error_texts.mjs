// Error codes as the type and docs/errors.md have them.
import { readFacts } from './read_facts.mjs';

const { codes } = readFacts('errors');
const sentence = (text) => `${text[0].toUpperCase()}${text.slice(1)}`;

/** The type of codes, with the meaning above each. */
export const errorCodeType = () =>
  `/** What went wrong, as a stable name to switch on. */
export type ErrorCode =
${codes.map(({ name, meaning }) => `  /** ${sentence(meaning)}. */\n  | '${name}'`).join('\n')};
`;

/** One row for each code; exit statuses are the tens of their numbers. */
export const errorTable = () =>
  [
    '| code | exit status | cause | cure |',
    '| - | -: | - | - |',
    ...codes.map(
      ({ name, number, cause, cure }) =>
        `| \`${name}\` | ${Math.floor(number / 10)} | ${sentence(cause)} | ${cure} |`,
    ),
  ].join('\n');
