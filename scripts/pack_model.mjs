// A package of one model, which bundlers copy as an asset:
//
//   npm run pack:model -- NAME|FILE.apr|speakers [--license FILE] [--output FOLDER]
//
//   import model from 'susurrus-model-tiny.en';
//   const whisper = await loadModel(model);
//
// With --quick the build that is there is used as it is. NAME is as `susurrus pull` takes it. Writes FOLDER/susurrus-model-NAME (build/packages), ready for `npm pack` or
// `npm publish`. `speakers` are the networks that tell speakers apart. --license names the text of the weights' licence: of every FILE, and of models that OpenAI did not publish.
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { buildParts } from './build.mjs';
import { findModel } from './find_model.mjs';
import { sha256 } from './toolchain/digest.mjs';
import { isProgram, main, readArguments, root, StepError } from './toolchain/steps.mjs';

/** As OpenAI licenses code and weights of Whisper: https://github.com/openai/whisper/blob/main/LICENSE */
const openAiCopyright = 'Copyright (c) 2022 OpenAI';

/** The networks that tell speakers apart; no Whisper is called that. */
const speakersName = 'speakers';

/** This project's licence is MIT too: its text with another name. */
const mitText = (copyright) =>
  readFileSync(join(root, 'LICENSE'), 'utf8').replace(/^Copyright.*$/m, copyright);

const licenseUnknown = (what) =>
  new StepError(
    `The licence of the weights in ${what} is not known here.`,
    'Name the file with its text: --license FILE',
  );

/** The parts of THIRD-PARTY-NOTICES.md about the speaker networks: what they are, and the text of Apache's licence. */
function speakersLicense() {
  const notices = readFileSync(join(root, 'THIRD-PARTY-NOTICES.md'), 'utf8');
  const [, about] = /^## The speaker networks\n\n(.*?)\n## /ms.exec(notices);
  const [, apache] = /^```\n( *Apache License\n.*?)^```/ms.exec(notices);
  return `${about}\n${apache}`;
}

function licenseOf({ name, path, license: given, isOpenAis = false }) {
  if (given !== undefined) {
    if (!existsSync(given)) throw new StepError(`--license: there is no file ${given}.`);
    return { text: readFileSync(given, 'utf8'), spdx: 'SEE LICENSE IN LICENSE' };
  }
  if (isOpenAis) return { text: mitText(openAiCopyright), spdx: 'MIT' };
  if (name === speakersName) return { text: speakersLicense(), spdx: '(MIT AND Apache-2.0)' };
  throw licenseUnknown(path);
}

/** What npm takes as part of a package's name. */
function checkName(name) {
  if (/^[a-z0-9][a-z0-9._-]{0,100}$/.test(name)) return;
  throw new StepError(
    `A package cannot be called susurrus-model-${name}.`,
    'Rename the file: lower-case letters, digits, ".", "-" and "_".',
  );
}

const describe = (name) =>
  name === speakersName ? 'The networks that tell speakers apart' : `The Whisper model \`${name}\``;

const exampleOf = (name) =>
  name === speakersName
    ? `import { loadModel } from 'susurrus';
import networks from 'susurrus-model-speakers';

const model = await loadModel('base');
const { segments } = await model.transcribe(file, { speakers: { model: networks } });`
    : `import { loadModel } from 'susurrus';
import model from 'susurrus-model-${name}';

const whisper = await loadModel(model);
const { text } = await whisper.transcribe(file);`;

const readme = ({ name, info, bytes, digest }) => `# susurrus-model-${name}

${describe(name)} for the npm package \`susurrus\`: speech recognition inside a web page.

\`\`\`js
${exampleOf(name)}
\`\`\`

\`model\` is the URL of the model file. Bundlers that understand \`new URL(…, import.meta.url)\` copy the file into the build; no
other server is asked.

| file | bytes | weights | SHA-256 |
| --- | --- | --- | --- |
| \`${name}.apr\` | ${bytes} | ${info} | \`${digest}\` |
`;

/**
 * Writes the package; returns its folder. `path` is an APR2 file; `license` a file with the weights' licence, which
 * those that OpenAI published do without.
 * @param {{
 *   name: string,
 *   path: string,
 *   license?: string | undefined,
 *   isOpenAis?: boolean,
 *   output?: string | undefined,
 * }} model
 */
export async function packModel(model) {
  const { name, path, output = join(root, 'build/packages') } = model;
  checkName(name);
  const { text, spdx } = licenseOf(model);
  const { inspect } = await import('../dist/model_files.node.mjs');
  // Damaged files and other formats are rejected here.
  const { format, tensors } = await inspect(path);
  if (format !== 'APR2') {
    throw new StepError(
      `${path} is a file of ${format}.`,
      `Convert it first: npx susurrus convert ${path} ${name}.apr`,
    );
  }
  const folder = join(output, `susurrus-model-${name}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  copyFileSync(path, join(folder, `${name}.apr`));
  const write = (file, body) => writeFileSync(join(folder, file), body);
  const { version, engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const manifest = {
    name: `susurrus-model-${name}`,
    version,
    description: `${describe(name).replaceAll('`', '')} for susurrus.`,
    license: spdx,
    type: 'module',
    sideEffects: false,
    engines,
    exports: {
      '.': { types: './index.d.ts', default: './index.js' },
      [`./${name}.apr`]: `./${name}.apr`,
      './package.json': './package.json',
    },
    files: ['index.js', 'index.d.ts', `${name}.apr`],
  };
  write('package.json', `${JSON.stringify(manifest, null, 2)}\n`);
  write('index.js', `export default new URL('./${name}.apr', import.meta.url);\n`);
  write(
    'index.d.ts',
    `/** The address of the model file, for loadModel() of susurrus. */\ndeclare const model: URL;\nexport default model;\n`,
  );
  write('LICENSE', text);
  const info = [...new Set(tensors.map(({ dtype }) => dtype))].join(', ');
  const packed = join(folder, `${name}.apr`);
  const { size: bytes } = statSync(packed);
  write('README.md', readme({ name, info, bytes, digest: await sha256(packed) }));
  return folder;
}

function speakersModel() {
  const path = join(root, 'models/speakers.apr');
  if (existsSync(path)) return { name: speakersName, path };
  throw new StepError(`There is no file ${path}.`, 'node scripts/speakers_model.mjs makes it.');
}

async function packFromCommandLine() {
  const { values, positionals } = readArguments({
    options: {
      license: { type: 'string' },
      output: { type: 'string' },
      quick: { type: 'boolean', default: false },
    },
    allowPositionals: true,
  });
  const [wanted] = positionals;
  if (wanted === undefined || positionals.length > 1) {
    throw new StepError(
      'npm run pack:model -- NAME|FILE.apr|speakers [--license FILE] [--output FOLDER]',
    );
  }
  // Before anything is built.
  if (existsSync(wanted) && values.license === undefined) throw licenseUnknown(wanted);
  if (!values.quick) await buildParts(['wasm', 'js']);
  const model = await (wanted === speakersName ? speakersModel() : findModel(wanted));
  const output = values.output && resolve(values.output);
  const folder = await packModel({ ...model, license: values.license, output });
  console.log(`${folder}\nTry it: npm install ${folder}`);
}

if (isProgram(import.meta)) await main(packFromCommandLine);
