import { asFields, tryJson } from '../http/json.ts';
import type { Documents, StoredDocument } from '../store/documents.ts';
import { contentTerms, termsOf } from '../words/terms.ts';
import type { Owner } from './passage-index.ts';

/** An entry of a file's metadata (platform contract FIL-10, WSP-10: metadata). */
interface Entry {
  readonly name: string;
  readonly value: string;
}

/** A document with the terms in its metadata. */
export interface Described extends Owner {
  /** The terms of each metadata value that has terms. */
  readonly values: readonly (readonly string[])[];
  /** The terms of all metadata values together. */
  readonly terms: ReadonlySet<string>;
}

/**
 * Holds in memory the terms of all documents that have metadata. Reads the documents at the first search; later edits
 * take effect immediately.
 */
export function createMetadataIndex(documents: Documents) {
  const held = new Map<string, Described>();
  let loaded = false;
  const note = (document: StoredDocument) => {
    const described = describe(document);
    if (described === undefined) held.delete(document.id);
    else held.set(document.id, described);
  };
  documents.watch((id) => {
    if (!loaded) return;
    const document = documents.find(id);
    if (document === undefined) held.delete(id);
    else note(document);
  });
  return {
    all: (): Iterable<Described> => {
      if (!loaded) for (const document of documents.list()) note(document);
      loaded = true;
      return held.values();
    },
  };
}

function describe(document: StoredDocument): Described | undefined {
  const values = readEntries(document.metadata)
    .map(({ value }) => valueTerms(value))
    .filter((terms) => terms.length > 0);
  if (values.length === 0) return undefined;
  return {
    document: document.id,
    workspace: document.workspace,
    values,
    terms: new Set(values.flat()),
  };
}

/** Returns the terms of a value. Leaves out stop words, unless the value has no other words. */
function valueTerms(value: string): readonly string[] {
  const terms = contentTerms(value);
  return terms.length > 0 ? terms : termsOf(value);
}

/** Returns the documents that have a metadata value whose terms are all in `terms`. */
export function namedIn(described: Iterable<Described>, terms: ReadonlySet<string>): ReadonlySet<string> {
  const named = new Set<string>();
  for (const { document, values } of described)
    if (values.some((value) => value.every((term) => terms.has(term)))) named.add(document);
  return named;
}

/** Reads the entries of stored metadata. Ignores entries that it cannot read, because the store accepts any text. */
export function readEntries(text: string): readonly Entry[] {
  const list: unknown = text === '' ? [] : tryJson(text);
  if (!Array.isArray(list)) return [];
  return list.flatMap((item) => {
    const { name, value } = asFields(item) ?? {};
    return typeof name === 'string' && name !== '' && isValue(value) ? [{ name, value: String(value) }] : [];
  });
}

const isValue = (value: unknown): boolean =>
  (typeof value === 'string' && value !== '') || typeof value === 'number' || typeof value === 'boolean';
