import { asFields, tryJson } from '../http/json.ts';
import type { Documents, StoredDocument } from '../store/documents.ts';
import { contentTerms, termsOf } from '../words/terms.ts';
import type { Owner } from './passage-index.ts';

/** One thing that somebody noted about a file: a name and its value (platform contract FIL-10, WSP-10). */
interface Entry {
  readonly name: string;
  readonly value: string;
}

/** A document with metadata, ready to be searched. */
export interface Described extends Owner {
  /** Terms of each value that says something. */
  readonly values: readonly (readonly string[])[];
  /** Terms of all values. */
  readonly terms: ReadonlySet<string>;
}

export type MetadataIndex = ReturnType<typeof createMetadataIndex>;

/** The documents with metadata, in memory. Reads nothing before the first search; from then on an edit counts at once. */
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

/** Words that every text has do not count, unless the value has no others. */
function valueTerms(value: string): readonly string[] {
  const terms = contentTerms(value);
  return terms.length > 0 ? terms : termsOf(value);
}

/** Documents one of whose values is named: each word of the value is among the terms. */
export function namedIn(described: Iterable<Described>, terms: ReadonlySet<string>): ReadonlySet<string> {
  const named = new Set<string>();
  for (const { document, values } of described)
    if (values.some((value) => value.every((term) => terms.has(term)))) named.add(document);
  return named;
}

/** The entries of metadata as a file keeps it. What cannot be read is no metadata: a store keeps what it was given. */
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
