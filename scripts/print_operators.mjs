// The operators that run as graphs: their names for docs/graphs.md, and tables with the tests that name them for docs/dev/graphs.md.
//
//   node scripts/print_operators.mjs [--update]     --update: into both documents
//
// The operators come from the tables of src/graph themselves, by the program list_operators (npm run build -- operators).
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { filesBelow } from './check_layers.mjs';
import { isProgram, main, readArguments, root, StepError } from './toolchain/steps.mjs';

/**
 * @typedef {{ name: string; kind: string; usual: string | null }} Attribute
 * @typedef {[least: number, most: number | null]} Count
 * @typedef {{ name: string; inputs: Count; outputs: Count; sharing: string; takesPacked: boolean; attributes: Attribute[] }} Primitive
 * @typedef {{ name: string; tests: string[] }} FileOperator
 */

const usersDocument = 'docs/graphs.md';
const developersDocument = 'docs/dev/graphs.md';
/** Maps the code of each BW2L layer to the function that translates it. */
const layerTable = 'src/graph/bw2l/bw2l_network.cc';

/** @type {() => { primitives: Primitive[]; onnx: string[]; tennis: string[] }} */
function listed() {
  const program = join(root, 'build/wasm/list_operators.cjs');
  if (!existsSync(program)) {
    throw new StepError('There is no list of operators.', 'Build it: npm run build -- operators.');
  }
  return JSON.parse(execFileSync(process.execPath, [program], { encoding: 'utf8' }));
}

/**
 * What runs of ONNX and TenniS, with the tests that name it: those of drawn ONNX graphs, and those that speak of TenniS.
 * @type {(names: readonly string[], files: readonly string[]) => FileOperator[]}
 */
function withTests(names, files) {
  const sources = files.map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
  return names.toSorted().map((name) => {
    const named = new RegExp(`(['"\`])${name}\\1|^\\s+${name}[:,(]`, 'm');
    return { name, tests: sources.filter(({ text }) => named.test(text)).map(({ path }) => path) };
  });
}

/** @type {() => { primitives: Primitive[]; onnx: FileOperator[]; tennis: FileOperator[] }} */
export function graphOperators() {
  const { primitives, onnx, tennis } = listed();
  const speaksOfTennis = (path) => /tennis/i.test(readFileSync(join(root, path), 'utf8'));
  return {
    primitives: primitives.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    onnx: withTests(onnx, filesBelow('tests/graph/drawn', /\.ts$/)),
    tennis: withTests(
      tennis,
      ['tests/api', 'tests/cpp/graph', 'tests/graph']
        .flatMap((folder) => filesBelow(folder, /\.(ts|cc)$/))
        .filter(speaksOfTennis),
    ),
  };
}

/** Codes of the BW2L layers that run. Residual blocks (RES) span several lines and have no row in the table. */
function bw2lLayers() {
  const rows = readFileSync(join(root, layerTable), 'utf8').matchAll(/\{"(\w+)", compile_\w+\}/g);
  return [...rows].map(([, code]) => code).concat('RES');
}

/** @type {(count: Count) => string} */
const countText = ([least, most]) =>
  most === null ? `${least} or more` : least === most ? `${least}` : `${least} to ${most}`;

/** @type {(one: Primitive) => string} */
function primitiveRow({ name, inputs, outputs, sharing, takesPacked, attributes }) {
  const attributeText = ({ name, kind, usual }) =>
    usual === null ? `\`${name}\`: ${kind}, needed` : `\`${name}\`: ${kind}, ${usual}`;
  const notes = [sharing === 'none' ? '' : sharing, takesPacked ? 'packed weights' : ''];
  const cells = [
    ...[`\`${name}\``, countText(inputs), countText(outputs)],
    ...[attributes.map(attributeText).join('<br>'), notes.filter(Boolean).join(', ')],
  ];
  return `| ${cells.join(' | ')} |`;
}

/** @type {(one: FileOperator) => string} */
const testedRow = ({ name, tests }) =>
  `| \`${name}\` | ${tests.map((path) => `\`${path}\``).join(', ')} |`;

/** @type {(names: readonly string[]) => string[]} */
const listOf = (names) => [
  names
    .toSorted()
    .map((name) => `\`${name}\``)
    .join(', '),
];

/**
 * What each document has between <!-- NAME --> and <!-- /NAME -->, as lines by NAME.
 * @type {() => Record<string, Record<string, readonly string[]>>}
 */
function contents() {
  const { primitives, onnx, tennis } = graphOperators();
  const tested = ['| operator | tests |', '| --- | --- |'];
  const namesOf = (operators) => operators.map(({ name }) => name);
  return {
    [usersDocument]: {
      onnx: listOf(namesOf(onnx)),
      tennis: listOf(namesOf(tennis)),
      bw2l: listOf(bw2lLayers()),
    },
    [developersDocument]: {
      primitives: [
        '| operator | inputs | outputs | attributes with their defaults | |',
        '| --- | --- | --- | --- | --- |',
        ...primitives.map(primitiveRow),
      ],
      onnx: [...tested, ...onnx.map(testedRow)],
      tennis: [...tested, ...tennis.map(testedRow)],
    },
  };
}

/**
 * Both documents: the text of each file, and the text that it should have.
 * @type {() => Promise<{ path: string; text: string; updated: string }[]>}
 */
export async function graphsDocuments() {
  const { format, resolveConfig } = await import('prettier');
  return Promise.all(
    Object.entries(contents()).map(async ([path, parts]) => {
      const filepath = join(root, path);
      const text = readFileSync(filepath, 'utf8');
      const updated = Object.entries(parts).reduce(
        (whole, [name, lines]) =>
          whole.replace(
            new RegExp(`<!-- ${name} -->[\\s\\S]*?<!-- /${name} -->`),
            () => `<!-- ${name} -->\n\n${lines.join('\n')}\n\n<!-- /${name} -->`,
          ),
        text,
      );
      const options = { ...(await resolveConfig(filepath)), filepath };
      return { path, text, updated: await format(updated, options) };
    }),
  );
}

if (isProgram(import.meta)) {
  await main(async () => {
    const { values } = readArguments({ options: { update: { type: 'boolean' } } });
    if (values.update) {
      for (const { path, updated } of await graphsDocuments()) {
        writeFileSync(join(root, path), updated);
      }
      return;
    }
    for (const lines of Object.values(contents()).flatMap((parts) => Object.values(parts))) {
      console.log(lines.join('\n'), '\n');
    }
  });
}
