// The operators that run as graphs, with the tests that name them, as docs/graphs.md has them.
//
//   node scripts/print_operators.mjs [--update]     --update: into docs/graphs.md
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

const document = 'docs/graphs.md';

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

/** The tables by their names, each between <!-- NAME --> and <!-- /NAME -->. */
function tables() {
  const { primitives, onnx, tennis } = graphOperators();
  const tested = ['| operator | tests |', '| --- | --- |'];
  return {
    primitives: [
      '| operator | inputs | outputs | attributes, and what they are unless given | |',
      '| --- | --- | --- | --- | --- |',
      ...primitives.map(primitiveRow),
    ],
    onnx: [...tested, ...onnx.map(testedRow)],
    tennis: [...tested, ...tennis.map(testedRow)],
  };
}

/** docs/graphs.md as it is, and as it has to be. */
export async function graphsDocument() {
  const { format, resolveConfig } = await import('prettier');
  const path = join(root, document);
  const text = readFileSync(path, 'utf8');
  const updated = Object.entries(tables()).reduce(
    (whole, [name, lines]) =>
      whole.replace(
        new RegExp(`<!-- ${name} -->[\\s\\S]*?<!-- /${name} -->`),
        () => `<!-- ${name} -->\n\n${lines.join('\n')}\n\n<!-- /${name} -->`,
      ),
    text,
  );
  return {
    text,
    updated: await format(updated, { ...(await resolveConfig(path)), filepath: path }),
  };
}

if (isProgram(import.meta)) {
  await main(async () => {
    const { values } = readArguments({ options: { update: { type: 'boolean' } } });
    if (values.update) writeFileSync(join(root, document), (await graphsDocument()).updated);
    else for (const lines of Object.values(tables())) console.log(lines.join('\n'), '\n');
  });
}
