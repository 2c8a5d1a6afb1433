/** A source file as the architecture rules need it: its imports, functions and names. */

import { parseAst } from 'rolldown/parseAst';

export interface Source {
  /** Path relative to the project, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

export interface Import {
  readonly specifier: string;
  readonly line: number;
  /**
   * When the import is loaded: `now` with the module, `later` by `import()` in an expression, `type` never (erased).
   */
  readonly when: 'now' | 'later' | 'type';
}

/** Any node of the syntax tree: ESTree, with additional node types for TypeScript. */
export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [member: string]: unknown;
}

export interface Parsed extends Source {
  readonly nodes: readonly Node[];
  readonly imports: readonly Import[];
  lineOf(offset: number): number;
}

export function parseSource({ path, text }: Source): Parsed {
  const program: unknown = parseAst(text, { lang: path.endsWith('.tsx') ? 'tsx' : 'ts' });
  const nodes = [...walk(program)];
  const lineOf = (offset: number) => text.slice(0, offset).split('\n').length;
  return { path, text, nodes, lineOf, imports: nodes.flatMap((node) => importOf(node, lineOf)) };
}

function* walk(value: unknown): Iterable<Node> {
  if (Array.isArray(value)) {
    for (const item of value) yield* walk(item);
  } else if (isNode(value)) {
    yield value;
    for (const member of Object.values(value)) yield* walk(member);
  }
}

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

const IMPORTING = new Set([
  'ImportDeclaration',
  'ExportNamedDeclaration',
  'ExportAllDeclaration',
  'ImportExpression',
  'TSImportType',
]);

function importOf(node: Node, lineOf: (offset: number) => number): readonly Import[] {
  const from = IMPORTING.has(node.type) ? node.source : undefined;
  if (!isNode(from) || typeof from.value !== 'string') return [];
  return [{ specifier: from.value, line: lineOf(node.start), when: whenOf(node) }];
}

function whenOf(node: Node): Import['when'] {
  if (node.type === 'ImportExpression') return 'later';
  const erased = node.type === 'TSImportType' || node.importKind === 'type' || node.exportKind === 'type';
  return erased ? 'type' : 'now';
}
