// The susurrus command.
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { orMeant } from './arguments.js';
import { commands } from './commands.js';
import type { Command } from './commands.js';
import { helpOf } from './help.js';
import { tellError } from './several_files.js';
import { print } from './terminal.js';
import { overview } from './usage.js';
import { asUsageError, usageError } from './usage_error.js';

const commandNames = Object.keys(commands);

function version(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

function commandNamed(name: string): Command {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command) return command;
  throw usageError(`there is no command '${name}'${orMeant(name, commandNames)}`);
}

function printHelp(name: string | undefined): void {
  const rows = Object.entries(commands).map(([each, { help }]) => [each, help.summary] as const);
  print(name === undefined ? overview(rows) : helpOf(name, commandNamed(name).help));
}

/** Whether help is asked for; what stands behind -- is no option. */
function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  const options = end < 0 ? args : args.slice(0, end);
  return options.includes('--help') || options.includes('-h');
}

async function run(args: readonly string[], signal: AbortSignal): Promise<void> {
  const [name, ...rest] = args;
  if (name === undefined) printHelp(undefined);
  else if (['help', '--help', '-h'].includes(name)) {
    printHelp(rest.find((each) => !each.startsWith('-')));
  } else if (name === '--version') print(`${version()}\n`);
  else if (asksForHelp(rest)) printHelp(name);
  else await commandNamed(name).run(rest, signal);
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
  const args = process.argv.slice(2);
  try {
    await run(args, interruption.signal);
  } catch (error) {
    const command = commandNames.find((name) => name === args[0]);
    const { options = {} } = command === undefined ? {} : commandNamed(command);
    const told = asUsageError(error, options);
    // A signal that came before the error may still be unheard: the event loop looks for one in each turn.
    await nextTurn();
    await nextTurn();
    process.exitCode = interruptedBy ? 128 + interruptedBy : tellError(told, command);
  }
}

await runCommand();
