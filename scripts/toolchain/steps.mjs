// How every script here runs programs, shows what it does and fails: with what failed and what to do.
import { AsyncLocalStorage } from 'node:async_hooks';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { childrenSeconds } from './processor_time.mjs';

export const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

if (!isAtLeast(process.versions.node, '20.19.0')) {
  console.error(
    `Node ${process.versions.node} is too old; building needs 20.19 or later (https://nodejs.org).`,
  );
  process.exit(1);
}

/** Whether the module of this `import.meta` is the program that was started. */
export function isProgram(meta) {
  return process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(meta.url);
}

/** An error for people: what failed, and what to do about it. */
export class StepError extends Error {
  constructor(what, advice = '') {
    super(advice ? `${what}\n${advice}` : what);
  }
}

/**
 * Options and positionals of a script's command line, as parseArgs returns them; a wrong one is a StepError.
 * @template {import('node:util').ParseArgsConfig} Config
 * @param {Config} config
 */
export function readArguments(config) {
  try {
    return parseArgs(config);
  } catch (error) {
    throw new StepError(error.message);
  }
}

/**
 * For scripts that pass arguments on: the values of their own options, and all other arguments in their order.
 * @template {import('node:util').ParseArgsOptionsConfig} Options
 * @param {string[]} args
 * @param {Options} options
 */
export function splitArguments(args, options) {
  const { values, tokens } = readArguments({ args, options, strict: false, tokens: true });
  const ours = new Set(
    tokens
      .filter(({ kind, name }) => kind === 'option' && Object.hasOwn(options, name))
      .flatMap(({ index, value, inlineValue }) =>
        value === undefined || inlineValue ? [index] : [index, index + 1],
      ),
  );
  return { values, rest: args.filter((_, index) => !ours.has(index)) };
}

/** The number that an option was given, or undefined without it; a StepError unless it is an integer in the range. */
export function integerOption(name, text, least, most = Number.MAX_SAFE_INTEGER) {
  if (text === undefined) return undefined;
  const value = /^\d+$/.test(text) ? Number(text) : NaN;
  if (value >= least && value <= most) return value;
  const range =
    most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`;
  throw new StepError(`--${name} wants an integer ${range}; not "${text}".`);
}

/** Runs a script's main function; a StepError becomes its message alone and exit status 1. */
export async function main(body) {
  try {
    await body();
  } catch (error) {
    if (!(error instanceof StepError)) throw error;
    console.error(`\n${error.message}`);
    process.exitCode = 1;
  }
}

/** Every step() that is over: { name, part, seconds, processor }; `processor` counts the seconds of programs that it ran. */
export const stepTimes = [];

/** The step, or the part of a run, that the code is in. */
const current = new AsyncLocalStorage();

/** What runs now, for people who wait. */
const running = new Set();
const started = performance.now();
const silence = 30_000;
let lastLine = performance.now();

/** Prints a line for people, after the minutes and seconds since the start. */
export function report(text) {
  const seconds = Math.floor((performance.now() - started) / 1000);
  const time = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
  console.log(`${time.padStart(6)} ${text}`);
  lastLine = performance.now();
}

/** Runs `body`; the steps within it count for this part of the whole. */
export const inPart = (part, body) => current.run({ part, processor: 0 }, body);

/** Does a named piece of work and says how long it took, unless that was no time at all. */
export async function step(name, body) {
  const start = performance.now();
  const record = { name, part: current.getStore()?.part ?? name, processor: 0 };
  running.add(name);
  if (process.stdout.isTTY) process.stdout.write(`… ${name}\r`);
  const watch = setInterval(() => {
    if (performance.now() - lastLine >= silence) report(`… ${[...running].join(', ')}`);
  }, silence / 6);
  try {
    return await current.run(record, body);
  } finally {
    clearInterval(watch);
    running.delete(name);
    const seconds = (performance.now() - start) / 1000;
    stepTimes.push({ ...record, seconds });
    if (seconds >= 0.5) report(`${name} (${seconds.toFixed(1)} s)`);
    else if (process.stdout.isTTY) process.stdout.write(`${' '.repeat(name.length + 2)}\r`);
  }
}

let charged = 0;

/** spawn(), whose processor time counts for the step that calls it. */
export function spawnInStep(program, args, options) {
  const record = current.getStore();
  const child = spawn(program, args, options);
  child.on('exit', () => {
    const now = childrenSeconds();
    if (record) record.processor += now - charged;
    charged = now;
  });
  return child;
}

/**
 * Runs a program to its end. Its output is shown only when it fails, or always with `show`.
 * Options: cwd, env (added to ours), what and advice (for the message of a failure), show, allowFailure.
 * Returns { status, output }.
 */
export function run(program, args, options = {}) {
  const { cwd = root, env = {}, what, advice, show = false, allowFailure = false } = options;
  return new Promise((done, failed) => {
    const child = spawnInStep(program, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const chunks = [];
    const keep = (stream) => (chunk) => {
      chunks.push(chunk);
      if (show) stream.write(chunk);
    };
    child.stdout.on('data', keep(process.stdout));
    child.stderr.on('data', keep(process.stderr));
    child.on('error', (error) =>
      failed(new StepError(`${what ?? program} failed: ${error.message}`, advice)),
    );
    child.on('close', (code, signal) => {
      const output = Buffer.concat(chunks).toString();
      const status = code ?? 128;
      if (status === 0 || allowFailure) return done({ status, output });
      if (!show) console.error(output);
      const how = signal ? `was ended by ${signal}` : `failed with status ${status}`;
      failed(
        new StepError(
          `${what ?? program} ${how}.`,
          advice ?? `Command: ${program} ${args.join(' ')}`,
        ),
      );
    });
  });
}

/** First line of what `program --version` says, or undefined when it does not run. */
export function versionLine(program, args = ['--version']) {
  const result = spawnSync(program, args, { encoding: 'utf8' });
  return result.status === 0 ? result.stdout.split('\n')[0] : undefined;
}

/** Full path of a program on PATH. */
export function findOnPath(name) {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    if (folder && existsSync(join(folder, name))) return join(folder, name);
  }
  return undefined;
}

/** Whether the version in `text` (its first a.b[.c]) is at least `wanted`. */
export function isAtLeast(text, wanted) {
  const found = /(\d+)\.(\d+)(?:\.(\d+))?/.exec(text ?? '');
  if (!found) return false;
  const parts = wanted.split('.').map(Number);
  for (let i = 0; i < parts.length; ++i) {
    const part = Number(found[i + 1] ?? 0);
    if (part !== parts[i]) return part > parts[i];
  }
  return true;
}
