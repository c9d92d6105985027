import js from '@eslint/js';
import jest from 'eslint-plugin-jest';
import { defineConfig, globalIgnores } from 'eslint/config';
import typescript from 'typescript-eslint';

const nodeGlobals = Object.fromEntries(
  [
    ...[
      'console',
      'process',
      'Buffer',
      'URL',
      'fetch',
      'performance',
      'AbortSignal',
      'AbortController',
    ],
    ...[
      'setTimeout',
      'clearTimeout',
      'setInterval',
      'clearInterval',
      'setImmediate',
      'WebAssembly',
      'TextDecoder',
      'TextEncoder',
    ],
    ...['structuredClone', 'crypto'],
  ].map((name) => [name, 'readonly']),
);

/** Playwright's calls that say what a page shows just now. */
const pageReaders = [
  ...['textContent', 'innerText', 'innerHTML', 'inputValue', 'getAttribute', 'title', 'count'],
  ...['allTextContents', 'allInnerTexts', 'boundingBox', 'evaluate', 'evaluateAll'],
  ...['isHidden', 'isVisible', 'isDisabled', 'isEnabled', 'isEditable', 'isChecked'],
];
/** The suites' own. */
const pageReadingHelpers = [
  ...['segmentTexts', 'chosenModel', 'names', 'rows', 'boxes', 'cues', 'transcriptText'],
  ...['focused', 'focusedText', 'time', 'told', 'size', 'chosen', 'isPaused', 'secondsOf'],
];

export default defineConfig(
  globalIgnores([
    '.reference/',
    '.toolchain/',
    'build/',
    'dist/',
    'node_modules/',
    'web/src/api/generated/',
  ]),
  js.configs.recommended,
  {
    rules: {
      eqeqeq: ['error', 'smart'],
      'no-var': 'error',
      'prefer-const': 'error',
    },
  },
  {
    files: ['**/*.mjs'],
    languageOptions: { globals: nodeGlobals },
  },
  {
    files: ['examples/**/*.{js,jsx}'],
    languageOptions: {
      globals: {
        ...nodeGlobals,
        ...{ document: 'readonly', location: 'readonly', URLSearchParams: 'readonly' },
        chrome: 'readonly',
      },
      parserOptions: { ecmaFeatures: { jsx: true } },
    },
  },
  {
    files: ['web/**/*.ts', 'tests/**/*.ts'],
    extends: [typescript.configs.strictTypeChecked],
    languageOptions: {
      parserOptions: { project: './tsconfig.json', tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      'no-restricted-syntax': [
        'error',
        { selector: 'ExportDefaultDeclaration', message: 'Exports have names.' },
      ],
      '@typescript-eslint/consistent-type-imports': 'error',
      // Numbers in messages are what most messages are about.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      // An index that is known to be in range is clearer with ! than with a branch that never runs.
      '@typescript-eslint/no-non-null-assertion': 'off',
    },
  },
  {
    // Whatever the command line says goes through terminal.ts, where nothing from a file can steer the terminal.
    files: ['web/cli/**/*.ts'],
    ignores: ['web/cli/terminal.ts', 'web/cli/progress_bar.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        { selector: 'ExportDefaultDeclaration', message: 'Exports have names.' },
        {
          selector:
            "CallExpression[callee.property.name='write'][callee.object.object.name='process']",
          message: 'Use print, printJson or tell of terminal.ts.',
        },
      ],
    },
  },
  {
    // A page answers a click in its own time: what is asserted of it waits for it, in shown() of browser_page.ts.
    files: ['tests/browser/**/*.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        { selector: 'ExportDefaultDeclaration', message: 'Exports have names.' },
        {
          selector: `CallExpression[callee.name='expect'] AwaitExpression > CallExpression:matches([callee.property.name=/^(${pageReaders.join('|')})$/], [callee.name=/^(${pageReadingHelpers.join('|')})$/])`,
          message: 'What a page shows is asserted with await shown(() => …), which waits for it.',
        },
      ],
    },
  },
  {
    files: ['tests/**/*.ts'],
    plugins: { jest },
    settings: { jest: { globalPackage: '@jest/globals' } },
    rules: {
      // A test that cannot fail is no test.
      'jest/valid-expect': 'error',
      'jest/no-focused-tests': 'error',
      'jest/no-identical-title': 'error',
      'jest/no-standalone-expect': [
        'error',
        { additionalTestBlockFunctions: ['run', 'testWith', 'testWith.each'] },
      ],
    },
  },
);
