// Every command: what it does, the options that it takes, and its help.
import type { Options } from './arguments.js';
import { alignArguments, alignCommand } from './align.js';
import { checkArguments, checkCommand } from './check.js';
import { convertArguments, convertCommand, upgradeArguments, upgradeCommand } from './convert.js';
import { detectLanguageArguments, detectLanguageCommand } from './detect_language.js';
import { extractArguments, extractCommand } from './extract.js';
import {
  inspectHelp,
  extractHelp,
  verifyHelp,
  digestsHelp,
  keygenHelp,
  signHelp,
  encryptHelp,
} from './file_help.js';
import type { CommandHelp } from './help.js';
import { inspectArguments, inspectCommand } from './inspect.js';
import { keygenArguments, keygenCommand } from './keygen.js';
import { listenArguments, listenCommand } from './listen.js';
import {
  transcribeHelp,
  listenHelp,
  detectLanguageHelp,
  alignHelp,
  scoreHelp,
  speakersHelp,
  checkHelp,
} from './listening_help.js';
import {
  planHelp,
  pullHelp,
  modelsHelp,
  convertHelp,
  upgradeHelp,
  shardHelp,
  unshardHelp,
} from './model_help.js';
import { modelsArguments, modelsCommand } from './models.js';
import { planArguments, planCommand } from './plan.js';
import {
  digestsArguments,
  digestsCommand,
  signArguments,
  signCommand,
  encryptArguments,
  encryptCommand,
} from './protect.js';
import { pullArguments, pullCommand } from './pull.js';
import { scoreArguments, scoreCommand } from './score.js';
import { speakersArguments, speakersCommand } from './speakers.js';
import { shardArguments, shardCommand, unshardArguments, unshardCommand } from './shard.js';
import { transcribeArguments, transcribeCommand } from './transcribe.js';
import { verifyArguments, verifyCommand } from './verify.js';

export interface Command {
  readonly run: (args: readonly string[], signal: AbortSignal) => Promise<void>;
  /** What parse() takes for it. */
  readonly options: Options;
  readonly help: CommandHelp;
}

export const commands: Readonly<Record<string, Command>> = {
  transcribe: { run: transcribeCommand, options: transcribeArguments, help: transcribeHelp },
  listen: { run: listenCommand, options: listenArguments, help: listenHelp },
  'detect-language': {
    run: detectLanguageCommand,
    options: detectLanguageArguments,
    help: detectLanguageHelp,
  },
  align: { run: alignCommand, options: alignArguments, help: alignHelp },
  score: { run: scoreCommand, options: scoreArguments, help: scoreHelp },
  speakers: { run: speakersCommand, options: speakersArguments, help: speakersHelp },
  check: { run: checkCommand, options: checkArguments, help: checkHelp },
  plan: { run: planCommand, options: planArguments, help: planHelp },
  pull: { run: pullCommand, options: pullArguments, help: pullHelp },
  models: { run: modelsCommand, options: modelsArguments, help: modelsHelp },
  convert: { run: convertCommand, options: convertArguments, help: convertHelp },
  upgrade: { run: upgradeCommand, options: upgradeArguments, help: upgradeHelp },
  shard: { run: shardCommand, options: shardArguments, help: shardHelp },
  unshard: { run: unshardCommand, options: unshardArguments, help: unshardHelp },
  inspect: { run: inspectCommand, options: inspectArguments, help: inspectHelp },
  extract: { run: extractCommand, options: extractArguments, help: extractHelp },
  verify: { run: verifyCommand, options: verifyArguments, help: verifyHelp },
  digests: { run: digestsCommand, options: digestsArguments, help: digestsHelp },
  keygen: { run: keygenCommand, options: keygenArguments, help: keygenHelp },
  sign: { run: signCommand, options: signArguments, help: signHelp },
  encrypt: { run: encryptCommand, options: encryptArguments, help: encryptHelp },
};
