// The susurrus command.
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { alignCommand } from './align.js';
import { orMeant, usageError } from './arguments.js';
import { convertCommand, upgradeCommand } from './convert.js';
import { detectLanguageCommand } from './detect_language.js';
import { extractCommand } from './extract.js';
import { inspectCommand } from './inspect.js';
import { listenCommand } from './listen.js';
import { keygenCommand } from './keygen.js';
import { modelsCommand } from './models.js';
import { planCommand } from './plan.js';
import { pullCommand } from './pull.js';
import { digestsCommand, encryptCommand, signCommand } from './protect.js';
import { scoreCommand } from './score.js';
import { tellError } from './several_files.js';
import { shardCommand, unshardCommand } from './shard.js';
import { print } from './terminal.js';
import { transcribeCommand } from './transcribe.js';
import { isTranscriptionProcess, serveTranscription } from './transcription_process.js';
import { usage } from './usage.js';
import { verifyCommand } from './verify.js';

const commands: Readonly<
  Record<string, (args: readonly string[], signal: AbortSignal) => Promise<void>>
> = {
  transcribe: transcribeCommand,
  listen: listenCommand,
  'detect-language': detectLanguageCommand,
  align: alignCommand,
  score: scoreCommand,
  plan: planCommand,
  pull: pullCommand,
  models: modelsCommand,
  convert: convertCommand,
  upgrade: upgradeCommand,
  shard: shardCommand,
  unshard: unshardCommand,
  inspect: inspectCommand,
  extract: extractCommand,
  verify: verifyCommand,
  digests: digestsCommand,
  keygen: keygenCommand,
  sign: signCommand,
  encrypt: encryptCommand,
};

function version(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

async function run(args: readonly string[], signal: AbortSignal): Promise<void> {
  const [name, ...rest] = args;
  if (args.includes('--help') || args.includes('-h')) {
    print(usage);
    return;
  }
  if (name === '--version') {
    print(`${version()}\n`);
    return;
  }
  if (name === undefined) throw usageError(`name a command: ${Object.keys(commands).join(', ')}`);
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command)
    throw usageError(`there is no command '${name}'${orMeant(name, Object.keys(commands))}`);
  await command(rest, signal);
}

async function runCommand(): Promise<void> {
  const interruption = new AbortController();
  let interruptedBy = 0;
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.once(name, () => {
      interruptedBy ||= constants.signals[name];
      interruption.abort();
    });
  }
  // The reader of our output may close it early, as `head` does.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    process.exit(error.code === 'EPIPE' ? 0 : 6);
  });
  try {
    await run(process.argv.slice(2), interruption.signal);
  } catch (error) {
    process.exitCode = interruptedBy ? 128 + interruptedBy : tellError(error);
  }
}

if (isTranscriptionProcess()) serveTranscription();
else await runCommand();
