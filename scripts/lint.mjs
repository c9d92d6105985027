// Everything that can be wrong without running it. With --fix, what can be mended is mended; paths narrow it down.
//
//   node scripts/lint.mjs [--fix] [PATH...]
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findLabels } from './check_comments.mjs';
import { findMissingIncludes, findSharedNamespaces } from './check_includes.mjs';
import { findLayerViolations, filesBelow } from './check_layers.mjs';
import { exceededBudgets } from './count_words.mjs';
import { checkDocuments, generateFacts } from './generate_facts.mjs';
import { eslintCache } from './toolchain/eslint_cache.mjs';
import { isProgram, main, root, run, StepError } from './toolchain/steps.mjs';
import { ensureNodeModules } from './toolchain/node_modules.mjs';
import { ensureTools } from './toolchain/tools.mjs';

const bin = (path) => join(root, 'node_modules', path);
const formatted = /\.(ts|mjs|json|md|css|html)$/;

async function clangFormat({ fix, selected }) {
  const files = ['src', 'bindings', 'tests']
    .flatMap((folder) => filesBelow(folder, /\.(h|cc)$/))
    .filter(selected);
  if (files.length === 0) return;
  const { clangFormat } = await ensureTools(['clangFormat']);
  const { status, output } = await run(
    clangFormat,
    [...(fix ? ['-i'] : ['--dry-run', '--Werror']), ...files],
    { allowFailure: true },
  );
  if (status === 0) return;
  // One line for each file is enough, since --fix mends it.
  const unformatted = new Set(output.match(/^[^\s:]+(?=:\d+:\d+: error)/gm) ?? [output]);
  throw new StepError(
    `clang-format would change:\n  ${[...unformatted].join('\n  ')}`,
    'npm run format mends this.',
  );
}

async function prettier({ fix, selected }) {
  const folders = ['web', 'tests', 'scripts', 'docs', 'src', 'bindings'].filter((folder) =>
    existsSync(join(root, folder)),
  );
  const files = [
    ...filesBelow('.', formatted).filter((path) => !path.includes('/')),
    ...folders.flatMap((folder) => filesBelow(folder, formatted)),
  ].filter(selected);
  if (files.length === 0) return;
  await run(
    process.execPath,
    [bin('prettier/bin/prettier.cjs'), fix ? '--write' : '--check', ...files],
    {
      what: 'prettier',
      advice: 'npm run format mends this.',
    },
  );
}

async function eslint({ fix, paths }) {
  const cache = ['--cache', '--cache-location', eslintCache()];
  const targets = paths.filter((path) => /\.(ts|mjs)$/.test(path) || !/\.\w+$/.test(path));
  if (paths.length > 0 && targets.length === 0) return;
  await run(
    process.execPath,
    [
      ...[bin('eslint/bin/eslint.js'), '--max-warnings', '0', '--no-error-on-unmatched-pattern'],
      ...[...cache, ...(fix ? ['--fix'] : []), ...(targets.length > 0 ? targets : ['.'])],
    ],
    { what: 'eslint', advice: 'Its messages stand above.' },
  );
}

/** The layers of the sources and of the package, and #include lines and shared names that no build would notice. */
export function layers() {
  const missing = findMissingIncludes();
  if (missing.length > 0) throw new StepError(`Includes:\n${missing.join('\n')}`);
  const shared = findSharedNamespaces();
  if (shared.length > 0) throw new StepError(`Namespaces:\n${shared.join('\n')}`);
  const violations = findLayerViolations();
  if (violations.length > 0) {
    throw new StepError(
      `Layers:\n${violations.join('\n')}`,
      'The tables are in scripts/check_layers.mjs.',
    );
  }
}

/** Comments that say their subject first. */
function comments({ selected }) {
  const labels = findLabels(selected);
  if (labels.length === 0) return;
  throw new StepError(`Comments:\n${labels.join('\n')}`, 'Begin with what the code is or does.');
}

/** Documents for users keep their budgets of words. */
function words({ paths }) {
  const exceeded = paths.length === 0 ? exceededBudgets() : [];
  if (exceeded.length === 0) return;
  throw new StepError(`Documents are too long:\n${exceeded.join('\n')}`, 'Say it in fewer words.');
}

async function documentTables({ fix, selected }) {
  if (!['docs/api.md', 'docs/errors.md', 'scripts/facts/options.json'].some(selected)) return;
  if (await checkDocuments({ fix })) return;
  throw new StepError(
    'The tables in docs/api.md or docs/errors.md are not those of scripts/facts.',
    'npm run format mends this.',
  );
}

/** Only what changed since the last time is checked again. */
export async function typeCheck() {
  const state = join(root, 'build/types.tsbuildinfo');
  await run(
    process.execPath,
    [
      ...[bin('typescript/bin/tsc'), '--noEmit', '-p', root],
      ...['--incremental', '--tsBuildInfoFile', state],
    ],
    { what: 'type check (tsc)', advice: 'Its messages stand above.' },
  );
}

/** Every exported symbol has a description, and links in them lead somewhere. `npm run docs` writes what is only checked here. */
async function reference({ paths }) {
  if (paths.length > 0) return;
  await run(process.execPath, [bin('typedoc/bin/typedoc'), '--emit', 'none'], {
    what: 'reference (typedoc)',
    advice: 'Its messages stand above.',
  });
}

/** Runs all checks, or those of `paths`, and returns the messages of those that failed; `types: false` leaves out the type check. */
export async function lint({ fix = false, paths = [], types = true } = {}) {
  const selected = (path) =>
    paths.length === 0 ||
    paths.some(
      (one) => path === one.replace(/\/$/, '') || path.startsWith(`${one.replace(/\/$/, '')}/`),
    );
  const options = { fix, paths, selected };
  const failures = [];
  generateFacts();
  const checks = [clangFormat, comments, words, documentTables, prettier, eslint, layers];
  for (const check of [...checks, ...(types ? [typeCheck] : []), reference]) {
    try {
      await check(options);
    } catch (error) {
      if (!(error instanceof StepError)) throw error;
      failures.push(error.message);
    }
  }
  return failures;
}

if (isProgram(import.meta)) {
  await main(async () => {
    await ensureNodeModules();
    const args = process.argv.slice(2);
    const paths = args.filter((one) => !one.startsWith('--'));
    const failures = await lint({ fix: args.includes('--fix'), paths });
    if (failures.length > 0) throw new StepError(failures.join('\n'));
  });
}
