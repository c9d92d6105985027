// npm run test:projects: every project of examples/, built from the packed package, in each browser or as a program.
//
//   node scripts/projects/projects.mjs [NAME...]
//
// NAME is a folder of examples/, or `types`. Prints a line for each: how long it took to install and build, and what each browser
// heard.
import { spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { launchChromium } from '../browsers/chromium.mjs';
import { firefoxPath, launchFirefox } from '../browsers/firefox.mjs';
import { freePort, hasWebKit, launchWebKit } from '../browsers/webkit.mjs';
import { buildParts } from '../build.mjs';
import { serve } from '../serve_demo.mjs';
import { isProgram, main, root, run, StepError } from '../toolchain/steps.mjs';
import { ensureTools } from '../toolchain/tools.mjs';
import { buildProject } from './build_project.mjs';
import { checkTypes } from './check_types.mjs';
import { projects } from './table.mjs';
import { usePage } from './use_page.mjs';

const sample = join(root, 'web/demo/sample.wav');
const expected = 'three one four one five nine two six five';

async function packPackage() {
  const folder = join(root, 'build/projects');
  mkdirSync(folder, { recursive: true });
  const { output } = await run('npm', ['pack', '--json', '--pack-destination', folder], {
    env: { npm_config_loglevel: 'error' },
    what: 'npm pack',
  });
  const [{ filename }] = JSON.parse(output.slice(output.indexOf('[')));
  return join(folder, filename);
}

/** Browsers that are here, by name; the others are said to be missing. */
async function launchBrowsers() {
  const { chromium } = await ensureTools(['chromium']);
  const launches = {
    Chromium: () => launchChromium(chromium),
    ...(firefoxPath !== undefined && { Firefox: launchFirefox }),
    ...(hasWebKit && { WebKitGTK: launchWebKit }),
  };
  for (const name of ['Firefox', 'WebKitGTK']) {
    if (!(name in launches)) console.log(`${name} is not installed: left out`);
  }
  const browsers = {};
  for (const [name, launch] of Object.entries(launches)) browsers[name] = await launch();
  return browsers;
}

const pathOf = (folder) => `${join(folder, 'node_modules/.bin')}:${process.env.PATH}`;

/** Starts a project's own server and lets `work` have its address. */
async function withOwnServer(folder, [command, ...args], work) {
  const port = await freePort();
  const server = spawn(command, args, {
    cwd: folder,
    env: { ...process.env, PATH: pathOf(folder), PORT: String(port), NODE_ENV: 'production' },
    stdio: 'ignore',
    detached: true, // so that what it starts ends with it
  });
  const address = `http://localhost:${port}/`;
  try {
    for (let tries = 0; ; ++tries) {
      const answer = await fetch(address).catch(() => undefined);
      if (answer?.ok) break;
      if (tries === 300) throw new StepError(`${command} does not answer on port ${port}.`);
      await new Promise((done) => setTimeout(done, 200));
    }
    return await work(address);
  } finally {
    process.kill(-server.pid);
  }
}

/** Serves a project's files to an isolated page, so that engines have threads where the browser lets them. */
async function withFiles(folder, { served, policy }, work) {
  const headers = policy === undefined ? {} : { 'Content-Security-Policy': policy };
  const files = { folder: join(folder, served), port: 0, isolated: true, headers };
  const server = await serve(files);
  try {
    return await work(server.address);
  } finally {
    await server.close();
  }
}

/** What a command prints in a project's folder. */
async function printed(folder, [command, ...args]) {
  const env = { PATH: pathOf(folder), NO_COLOR: '1' };
  const { output } = await run(command, args, { cwd: folder, env });
  return output.trim();
}

/** Has a program with workers transcribe the sample under several names: every row must have its text, and every worker a row. */
async function tableVerdict(folder, { program, workers }) {
  const names = Array.from({ length: 3 * workers }, (_, i) => join(folder, `recording_${i}.wav`));
  for (const name of names) copyFileSync(sample, name);
  const output = await printed(folder, [...program, 'digits', ...names]);
  const rows = output
    .split('\n')
    .slice(1)
    .map((line) => line.split(','));
  const isRight =
    rows.map(([name]) => name).join() === names.join() &&
    rows.every((row) => row[3] === expected) &&
    new Set(rows.map((row) => row[1])).size === workers;
  return isRight ? `✓ ${rows.length} recordings by ${workers} workers` : `✗ ${output}`;
}

/** Has a program transcribe the sample, and its runtime a long recording by two engines. */
async function programVerdicts(folder, program) {
  const text = await printed(folder, [...program, sample, 'digits']);
  const engines = 'several_engines.mjs';
  copyFileSync(join(root, 'scripts/projects', engines), join(folder, engines));
  const heard = await printed(folder, [...program.slice(0, -1), engines, sample]);
  const wanted = { workers: 2, warnings: [], isSame: true, isCut: true };
  return [
    text === expected ? '✓' : `✗ ${text}`,
    heard === JSON.stringify(wanted) ? '✓ two engines' : `✗ ${heard}`,
  ];
}

/** What was transcribed and where, as "✓ Chromium, 2 threads"; whatever is wrong has a ✗. */
async function heardBy(browsers, folder, one) {
  if (one.workers) return [await tableVerdict(folder, one)];
  if (one.program) return programVerdicts(folder, one.program);
  const inEach = async (address) => {
    const verdicts = [];
    for (const [name, browser] of Object.entries(browsers)) {
      const { text, threads } = await usePage(browser, address, readFileSync(sample));
      verdicts.push(text === expected ? `✓ ${name}, ${threads} threads` : `✗ ${name}: ${text}`);
    }
    return verdicts;
  };
  return one.server ? withOwnServer(folder, one.server, inEach) : withFiles(folder, one, inEach);
}

const seconds = (begun) => `${((performance.now() - begun) / 1000).toFixed(1)} s`;

async function testProjects(chosen, tarball, report) {
  const browsers = await launchBrowsers();
  try {
    for (const one of chosen) {
      const title = one.script ? `${one.name} (${one.script})` : one.name;
      const begun = performance.now();
      const verdicts = await buildProject(one.name, tarball, one.script)
        .then((folder) => heardBy(browsers, folder, one))
        .catch((error) => [`✗ ${error.message}`]);
      report(`${title}: ${verdicts.join('; ')} (${seconds(begun)}); needs ${one.needs}`);
    }
  } finally {
    for (const browser of Object.values(browsers)) await browser.close();
  }
}

if (isProgram(import.meta)) {
  await main(async () => {
    const names = process.argv.slice(2);
    const isChosen = (name) => names.length === 0 || names.includes(name);
    const chosen = projects.filter(({ name }) => isChosen(name));
    if (chosen.length === 0 && !isChosen('types')) {
      const known = new Set([...projects.map(({ name }) => name), 'types']);
      throw new StepError(`Projects: ${[...known].join(', ')}`);
    }
    await buildParts(['wasm', 'js']);
    const tarball = await packPackage();
    let failures = 0;
    const report = (line) => {
      if (line.includes('✗')) ++failures;
      console.log(line);
    };
    if (chosen.length > 0) await testProjects(chosen, tarball, report);
    if (isChosen('types')) {
      const begun = performance.now();
      const problems = await checkTypes(tarball);
      const verdict = problems.length > 0 ? `✗ ${problems.join('\n')}` : '✓';
      report(`types, publint and attw: ${verdict} (${seconds(begun)})`);
    }
    if (failures > 0) throw new StepError(`${failures} projects failed.`);
  });
}
