import { createHash } from 'node:crypto';
import { type Document, isMap, isPair, isScalar, isSeq, LineCounter, parseDocument, visit } from 'yaml';
import { codeOf } from '../errors.ts';
import { readCapped } from '../settings/capped-file.ts';
import { type Fault, isTree, type Tree } from '../settings/tree.ts';
import { explain } from './yaml-faults.ts';

/** A configuration file: its settings, and their positions in the file. */
export interface ConfigFile {
  readonly name: string;
  readonly tree: Tree;
  /** SHA-256 of the text, in hexadecimal; absent if the file could not be read. */
  readonly digest?: string;
  readonly faults: readonly (Fault & { readonly place: string })[];
  /**
   * Returns `name:line:column` of a setting. If the setting is not in the file, returns the position of the innermost
   * group around it.
   */
  placeOf(path: readonly PropertyKey[]): string;
}

export const noFile: ConfigFile = {
  name: 'the settings',
  tree: {},
  faults: [],
  placeOf: () => 'the settings',
};

/** Maximum size of a configuration file, in bytes. */
const FILE_BYTES = 1024 * 1024;

/** Reads a configuration file. Never throws: an unreadable file or invalid YAML is a fault in the result. */
export function readConfigFile(name: string, maxBytes = FILE_BYTES): ConfigFile {
  try {
    const text = readCapped(name, maxBytes).toString('utf8');
    return { ...parseConfig(name, text), digest: createHash('sha256').update(text).digest('hex') };
  } catch (thrown) {
    return unreadable(name, whyUnreadable(thrown, maxBytes));
  }
}

/** Returns the end of the sentence "the file …" for an error of reading a file of at most `maxBytes` bytes. */
export function whyUnreadable(thrown: unknown, maxBytes: number): string {
  const code = codeOf(thrown);
  if (code === 'ENOENT') return 'does not exist';
  if (code === 'EFBIG') return `is larger than ${maxBytes / FILE_BYTES} MiB`;
  return code === 'ENOTREG' ? 'is not a regular file' : 'cannot be read';
}

function unreadable(name: string, what: string): ConfigFile {
  const cure =
    'Correct the path or the permissions of the file. A relative path begins in the folder where Parley starts.';
  return { ...noFile, name, faults: [{ subject: 'the file', path: [], what, cure, place: name }] };
}

function parseConfig(name: string, text: string): ConfigFile {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true });
  const at = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${name}:${line}:${col}`;
  };
  const faults = [...document.errors, ...document.warnings].map((error) => {
    const { offset, what, cure } = explain(error, document, text);
    return { subject: 'the line', path: [], what, cure, place: at(offset) };
  });
  const value =
    faults.length > 0
      ? {}
      : settingsOf(document, (offset, what, cure) => {
          faults.push({ subject: 'the line', path: [], what, cure, place: at(offset) });
        });
  if (!isTree(value)) {
    const what = 'contains no settings';
    faults.push({
      subject: 'the file',
      path: [],
      what,
      cure: 'Write lines like "data: .parley".',
      place: at(0),
    });
  }
  const placeOf = (path: readonly PropertyKey[]): string => at(offsetOf(document.contents, path));
  return { name, tree: isTree(value) ? value : {}, faults, placeOf };
}

/** Returns the settings. Reports an alias that names no anchor, or aliases that expand to too much. */
function settingsOf(
  document: Document.Parsed,
  report: (offset: number, what: string, cure: string) => void,
): unknown {
  try {
    return document.toJS() ?? {};
  } catch {
    let offset = 0;
    visit(document, {
      Alias(_, alias) {
        if (alias.resolve(document) !== undefined) return undefined;
        offset = alias.range?.[0] ?? 0;
        return visit.BREAK;
      },
    });
    report(
      offset,
      'uses an anchor that is not defined above it, or anchors that expand to too much',
      'Write the value itself in place of the anchor. If the value begins with *, put quotes around it.',
    );
    return {};
  }
}

/**
 * Returns the offset of a setting's name or of a list entry. If the file does not contain it, returns the offset of the
 * innermost group around it.
 */
function offsetOf(contents: unknown, path: readonly PropertyKey[]): number {
  let node = contents;
  let offset = 0;
  for (const key of path) {
    const found = isMap(node)
      ? node.items.find(
          (item) => isPair(item) && isScalar(item.key) && String(item.key.value) === String(key),
        )
      : undefined;
    const value: unknown = isSeq(node) ? node.items[Number(key)] : found?.value;
    const place: unknown = found === undefined ? value : found.key;
    offset = startOf(place) ?? offset;
    node = value;
  }
  return offset;
}

function startOf(node: unknown): number | undefined {
  if (typeof node !== 'object' || node === null || !('range' in node)) return undefined;
  return Array.isArray(node.range) && typeof node.range[0] === 'number' ? node.range[0] : undefined;
}
