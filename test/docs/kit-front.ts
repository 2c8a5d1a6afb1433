/** Finds the declarations of the names that an import of `parley/kit` contains, with their docstrings and examples. */

import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { isNode, type Node, type Parsed, parseSource } from '../architecture/source.ts';
import { fences } from './pages.ts';

const root = new URL('../../', import.meta.url).pathname;

export interface Declared {
  readonly name: string;
  readonly path: string;
  /** Empty if there is none. */
  readonly doc: string;
  /** The code in the docstring. */
  readonly examples: readonly string[];
  readonly text: string;
  /** True for a name that exists when the code runs. */
  readonly isValue: boolean;
  readonly node: Node;
}

/** Reads the public names of an entry. A name that a package declares, such as `z`, is not among them. */
export function declaredIn(entry: string): readonly Declared[] {
  return namesOf(entry).flatMap((name) => find(entry, name) ?? []);
}

const files = new Map<string, Parsed>();

function parsed(path: string): Parsed {
  const known = files.get(path) ?? parseSource({ path, text: readFileSync(`${root}${path}`, 'utf8') });
  files.set(path, known);
  return known;
}

const nodesIn = (value: unknown): readonly Node[] => (Array.isArray(value) ? value.filter(isNode) : []);
const nameOf = (value: unknown): string =>
  isNode(value) && typeof value.name === 'string' ? value.name : '';
/** Returns the file that an export takes its names from; undefined if it is a package. */
function sourceOf({ source }: Node, path: string): string | undefined {
  const from = isNode(source) ? String(source.value) : '';
  return from.startsWith('.') ? posix.join(posix.dirname(path), from) : undefined;
}
const exportsOf = (path: string): readonly Node[] =>
  parsed(path).nodes.filter(({ type }) => /^Export/.test(type));
/** Returns what an export statement declares itself: a function, a type, or the variables of a `const`. */
function declarationsIn({ declaration }: Node): readonly Node[] {
  if (!isNode(declaration)) return [];
  return declaration.type === 'VariableDeclaration' ? nodesIn(declaration.declarations) : [declaration];
}

function namesOf(path: string): readonly string[] {
  const found = exportsOf(path).flatMap((each) => {
    const from = sourceOf(each, path);
    if (each.type === 'ExportAllDeclaration') return from === undefined ? [] : namesOf(from);
    const listed = nodesIn(each.specifiers).map(({ exported }) => nameOf(exported));
    return [...listed, ...declarationsIn(each).map(({ id }) => nameOf(id))];
  });
  return [...new Set(found)].filter((name) => name !== '').toSorted();
}

function find(path: string, name: string): Declared | undefined {
  for (const each of exportsOf(path)) {
    const own = declarationsIn(each).find(({ id }) => nameOf(id) === name);
    if (own !== undefined) return describe(path, name, each, own);
    const from = sourceOf(each, path);
    const listed = nodesIn(each.specifiers).find(({ exported }) => nameOf(exported) === name);
    const inner = each.type === 'ExportAllDeclaration' ? name : nameOf(listed?.local);
    const found = from !== undefined && inner !== '' ? find(from, inner) : undefined;
    if (found !== undefined) return { ...found, name };
  }
  return undefined;
}

function describe(path: string, name: string, statement: Node, node: Node): Declared {
  const { text: source } = parsed(path);
  const doc = docBefore(source, statement.start);
  const examples = fences(doc).map(({ body }) => body);
  const isValue = !/^TS(?:Interface|TypeAlias)Declaration$/.test(node.type);
  return { name, path, doc, examples, text: source.slice(statement.start, statement.end), isValue, node };
}

/** Returns the docstring that ends just before the offset, without its stars. */
export function docBefore(source: string, offset: number): string {
  const [, doc = ''] = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*$/.exec(source.slice(0, offset)) ?? [];
  return doc.replaceAll(/^ *\* ?/gm, '').trim();
}

/**
 * Returns the numbers in a declaration of which no docstring says the unit or the meaning: properties without a
 * docstring, and parameters that the docstring of their function does not name.
 */
export function unitless({ path, doc, node }: Declared): readonly string[] {
  const { text, nodes } = parsed(path);
  const inside = nodes.filter(({ start, end }) => start >= node.start && end <= node.end);
  const properties = inside.filter((each) => each.type === 'TSPropertySignature' && isNumber(each));
  const methods = inside.filter(({ type }) => type === 'TSMethodSignature');
  return [
    ...properties.filter(({ start }) => docBefore(text, start) === '').map(({ key }) => nameOf(key)),
    ...methods.flatMap((each) => unnamed(each, docBefore(text, each.start))),
    ...unnamed(isNode(node.init) ? node.init : node, doc),
  ].filter((name) => !/(?:Ms|Days)$/.test(name));
}

const isNumber = ({ typeAnnotation }: Node): boolean =>
  isNode(typeAnnotation) &&
  isNode(typeAnnotation.typeAnnotation) &&
  typeAnnotation.typeAnnotation.type === 'TSNumberKeyword';

const unnamed = ({ params }: Node, doc: string): readonly string[] =>
  nodesIn(params)
    .filter(isNumber)
    .map(nameOf)
    .filter((name) => !new RegExp(`@param ${name} |\`${name}\``).test(doc));

/** Returns the codes of the errors that a declaration itself throws. */
export const codesThrownBy = ({ text }: Declared): readonly string[] =>
  [...text.matchAll(/throw new BridgeError\(\s*'([\w-]+)'/g)].map(([, code = '']) => code);
