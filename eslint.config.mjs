// Layout is Prettier's business; ESLint looks for mistakes.
import js from '@eslint/js';

const everywhere = [
  'console',
  'performance',
  'URL',
  'URLSearchParams',
  'TextDecoder',
  'TextEncoder',
  'WebAssembly',
]
  .concat([
    'SharedArrayBuffer',
    'Atomics',
    'fetch',
    'setTimeout',
    'clearTimeout',
    'setInterval',
    'clearInterval',
  ])
  .concat([
    'queueMicrotask',
    'structuredClone',
    'AbortController',
    'AbortSignal',
    'Event',
    'EventTarget',
    'MessageChannel',
  ])
  .concat(['globalThis', 'crypto', 'Blob', 'Response', 'setImmediate']);
const node = ['process', 'Buffer'];
const browser = [
  'window',
  'document',
  'navigator',
  'location',
  'history',
  'self',
  'crossOriginIsolated',
  'Worker',
]
  .concat(['requestAnimationFrame', 'cancelAnimationFrame', 'devicePixelRatio', 'innerWidth', 'innerHeight'])
  .concat([
    'addEventListener',
    'removeEventListener',
    'postMessage',
    'HTMLElement',
    'Element',
    'Node',
    'Image',
  ])
  .concat([
    'AudioContext',
    'MutationObserver',
    'ResizeObserver',
    'PointerEvent',
    'KeyboardEvent',
    'CustomEvent',
    'localStorage',
    'matchMedia',
    'alert',
  ])
  .concat([
    'HTMLCanvasElement',
    'HTMLInputElement',
    'HTMLSelectElement',
    'HTMLButtonElement',
    'getComputedStyle',
    'caches',
  ]);
const readOnly = (...lists) => Object.fromEntries(lists.flat().map((name) => [name, 'readonly']));

export default [
  { ignores: ['web/dist/', 'web/types/', 'build/', '.toolchain/', '**/generated/'] },
  js.configs.recommended,
  {
    files: ['**/*.js', '**/*.mjs'],
    languageOptions: { ecmaVersion: 2022, sourceType: 'module', globals: readOnly(everywhere) },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      eqeqeq: 'error',
      'no-var': 'error',
      'prefer-const': 'error',
      'no-shadow': 'error',
      'no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
    },
  },
  {
    files: ['scripts/**', 'cmake/**', 'bindings/**', 'bench/**', 'tests/**', 'demo/*.mjs'],
    languageOptions: { globals: readOnly(node) },
  },
  // the package's modules run in both, the tests drive pages from Node
  {
    files: ['web/**', 'bindings/glue/**', 'tests/**', 'bench/**'],
    languageOptions: { globals: readOnly(node, browser) },
  },
  { files: ['demo/**/*.js', 'scripts/docs/assets/*.js'], languageOptions: { globals: readOnly(browser) } },
];
