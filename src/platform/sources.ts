import type { Fragment, Source } from '../core/reply.ts';
import { type Base, resolveAddress } from './base-url.ts';
import { tryJson } from './json.ts';
import type { Reference } from './operations/references.ts';
import { type Fields, idOf, isFields, numberOf, textOf } from './shapes.ts';

/** One passage from the platform's list of references. */
interface Passage {
  /** Blank if the platform sent no readable name. */
  readonly title: string;
  readonly kind: Source['kind'];
  readonly text: string;
  readonly score?: number | undefined;
  readonly link?: string | undefined;
  readonly document?: string | undefined;
}

/**
 * Collects the passages of one answer. A passage that the stream repeats, for example in its end event, is added only
 * once.
 */
export class Passages {
  readonly #all: Passage[] = [];
  readonly #seen = new Set<string>();

  get all(): readonly Passage[] {
    return this.#all;
  }

  /** Adds the passages. Returns true if at least one of them is new. */
  add(found: readonly Passage[]): boolean {
    const keyed = found.map((passage) => ({ passage, key: keyOf(passage) }));
    const fresh = keyed.filter(({ key }) => !this.#seen.has(key));
    for (const { passage, key } of fresh) {
      this.#all.push(passage);
      this.#seen.add(key);
    }
    return fresh.length > 0;
  }
}

const keyOf = ({ title, text, link, document }: Passage): string =>
  JSON.stringify([title, text, link, document]);

/**
 * Limits for the search through a tool's result (platform contract CHL-19) and for the number of passages that are
 * kept.
 */
const MAX_DEPTH = 6;
const MAX_NODES = 10_000;
const MAX_PASSAGES = 200;
const MAX_PASSAGE_CHARS = 8000;
const MAX_TITLE_CHARS = 300;

export const RESULT_LISTS = ['results', 'references', 'documents', 'list', 'data'];

/** Finds the passages in a tool's result of any shape (platform contract DEC-20, CHL-19). */
export function passagesIn(payload: unknown): readonly Passage[] {
  const found: Passage[] = [];
  let nodes = 0;
  const walk = (value: unknown, depth: number): void => {
    nodes += 1;
    if (depth > MAX_DEPTH || nodes > MAX_NODES || found.length >= MAX_PASSAGES) return;
    if (typeof value === 'string') {
      if (/^\s*[{[]/.test(value)) walk(tryJson(value), depth + 1);
    } else if (Array.isArray(value)) {
      for (const item of value) walk(item, depth + 1);
    } else if (isFields(value)) {
      const list = RESULT_LISTS.map((name) => value[name]).find(
        (inner) => typeof inner === 'object' && inner !== null,
      );
      const passage = list === undefined ? passageOf(value) : undefined;
      if (passage !== undefined) found.push(passage);
      else for (const inner of Object.values(value)) walk(inner, depth + 1);
    }
  };
  walk(payload, 0);
  return found;
}

function passageOf(fields: Fields): Passage | undefined {
  const document = idOf(fields, ['document_id', 'documentId', 'file_id', 'fileId']);
  const title = textOf(fields, ['title', 'name', 'file_name', 'fileName', 'document_name']);
  const text = textOf(fields, ['content', 'text', 'snippet', 'chunk', 'page_content']);
  const link = textOf(fields, ['url', 'link', 'previewUrl']);
  const score = numberOf(fields, ['score', 'similarity', 'relevance', 'searchScore', 'rerankScore']);
  // A title alone may be the name of a tool. Together with a document, text, link or score, it is the title of a
  // document.
  const content = document ?? text ?? link ?? score;
  if ((title ?? document ?? link) === undefined || content === undefined) return undefined;
  return {
    title: readable(title, { document, link }),
    kind: 'document',
    text: text ?? '',
    score,
    link,
    document,
  };
}

/** Matches web addresses that contain an id, which people cannot read. */
const withId = /\d{6,}|[\da-f]{8}-[\da-f]{4}-/i;

/** Returns the title; without one, a web address that contains no id; otherwise an empty text. */
function readable(
  title: string | undefined,
  { document, link = '' }: Pick<Passage, 'document' | 'link'>,
): string {
  const name = readableName(title, document);
  if (name !== undefined) return name;
  return /^https?:/i.test(link) && !withId.test(link) ? link : '';
}

export function passageOfReference({ title, type, content, score, url }: Reference): Passage {
  const label = readable(title, { link: url });
  return { title: label, kind: type, text: content, score, link: url };
}

interface Marked extends Passage {
  /** Position of the passage in the platform's list, counted from 1. */
  readonly mark: number;
}

/**
 * Groups passages into sources and returns the best source first. Passages form one source if they have the same
 * address; without an address, the same document; without either, the same title and type (platform contract REF-2).
 * Files with the same name at two addresses are two sources. The marks of a source are the positions of its
 * passages in the platform's list, counted from 1. Blank passages only hold the positions of unreadable entries.
 */
export function groupSources(passages: readonly Passage[], base: Base): readonly Source[] {
  const marked = passages
    .slice(0, MAX_PASSAGES)
    .map((passage, index) => ({ ...passage, mark: index + 1 }))
    .filter(({ title, text, link, document }) => [title, text, link, document].some((each) => each));
  const groups = Map.groupBy(marked, ({ title, kind, link, document, mark }) => {
    const named = title === '' ? `passage ${mark}` : JSON.stringify([title, kind]);
    return link ?? document ?? named;
  });
  const sources = [...groups].map(([key, list]) => sourceOf(key, list, base));
  return sources.toSorted((a, b) => byScore(a.score, b.score));
}

function sourceOf(key: string, list: readonly Marked[], base: Base): Source {
  const sorted = list.toSorted((a, b) => byScore(a.score, b.score));
  const [best] = sorted;
  const score = best?.score;
  const link = resolveAddress(base, sorted.find((passage) => passage.link !== undefined)?.link)?.href;
  const document = sorted.find((passage) => passage.document !== undefined)?.document;
  return {
    key,
    title: (best?.title ?? '').slice(0, MAX_TITLE_CHARS).toWellFormed(),
    kind: best?.kind ?? 'other',
    mark: list[0]?.mark ?? 0,
    ...(list.length > 1 && { marks: list.map(({ mark }) => mark) }),
    ...(score === undefined ? {} : { score }),
    ...(link === undefined ? {} : { link }),
    ...(document === undefined ? {} : { document }),
    fragments: sorted.filter((passage) => passage.text !== '').map(fragmentOf),
  };
}

function fragmentOf({ text, score }: Passage): Fragment {
  const excerpt = text.slice(0, MAX_PASSAGE_CHARS).toWellFormed();
  return score === undefined ? { text: excerpt } : { text: excerpt, score };
}

/** Compares scores for sorting, highest first. Missing scores come last; equal scores keep their order. */
function byScore(a: number | undefined, b: number | undefined): number {
  const [left, right] = [a ?? Number.NEGATIVE_INFINITY, b ?? Number.NEGATIVE_INFINITY];
  return left === right ? 0 : right - left;
}

/** Returns the passages as Markdown. Shown if an agent returned nothing but passages (platform contract DEC-12). */
export function passagesText(passages: readonly Passage[]): string {
  return passages
    .filter((passage) => passage.text !== '')
    .map(({ title, text }) => {
      const label = title.replace(/[*\\[\]<>\n]/g, ' ').trim();
      return label === '' ? text : `**${label}**\n\n${text}`;
    })
    .join('\n\n');
}

/** Matches the number or UUID of a file or document. Such ids are not shown to people (platform contract CHL-18). */
const onlyId = /^\s*(?:(?:file_id:)?\d{9,}|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})\s*$/i;

/** Returns the name if people can read it; undefined if it is blank or only an id. */
export function readableName(name: string | undefined, id?: string): string | undefined {
  return name === undefined || name.trim() === '' || name.trim() === id || onlyId.test(name)
    ? undefined
    : name;
}
