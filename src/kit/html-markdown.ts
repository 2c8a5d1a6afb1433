/**
 * Reads the HTML of a received message into Markdown. Takes linear time, and limits length and nesting (attack S22: text
 * made to be slow to read).
 */

import { Parser } from 'htmlparser2';
import {
  cleaned,
  codeBlock,
  emphasized,
  finished,
  heading,
  inlineCode,
  link,
  listItem,
  prefixed,
  rawCode,
  table,
} from './markdown-parts.ts';

/** Maximum UTF-16 units that are read, and that one element adds to the text: prefixes of nested lines multiply. */
const MAX_UNITS = 150_000;
/** UTF-16 units that are parsed before the nesting is checked again. */
const CHUNK = 1_000;
/** Maximum nesting of elements; the rest is not read. */
const MAX_DEPTH = 150;
/** Maximum columns of one cell. */
const MAX_SPAN = 20;

export type Attributes = Readonly<Record<string, string>>;

/** An element whose content is not complete. Elements without a meaning write into the box of the element around them. */
export interface Box {
  readonly name: string;
  readonly attributes: Attributes;
  readonly parts: string[];
  /** Number of line breaks to add before the next text. */
  gap: number;
  /** Number of a list's next item. */
  next: number;
  /** Rows of a table. The last one is not complete. */
  readonly rows: string[][];
  /** Facts about this element from the elements inside it, such as the language of code. */
  readonly notes: Map<string, string>;
  readonly render: Render;
}

/** Returns what a complete element adds to the text. */
export type Render = (text: string, box: Box, reading: Reading) => string;

/** The elements that have a meaning in one channel. */
export interface Dialect {
  /** Returns what an element adds when it opens. */
  opens?(name: string, attributes: Attributes, reading: Reading): string | undefined;
  /** Returns the function that renders an element; undefined for the common one. */
  renderOf?(name: string, attributes: Attributes, reading: Reading): Render | undefined;
}

/** Elements that people do not see. */
const SKIPPED = new Set(['script', 'style', 'title', 'head', 'template']);
const HIDING = /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden|mso-hide\s*:\s*all)/i;

const ONE_LINE =
  'div li tr section article header footer main aside address figcaption caption dt dd summary option';
const PARAGRAPH = 'p h1 h2 h3 h4 h5 h6 ul ol dl table pre codeblock blockquote hr figure';
/** Line breaks around an element. */
const GAPS: ReadonlyMap<string, number> = new Map([
  ...ONE_LINE.split(' ').map((name) => [name, 1] as const),
  ...PARAGRAPH.split(' ').map((name) => [name, 2] as const),
]);

export function htmlToMarkdown(html: string, dialect: Dialect = {}): string {
  const root = createBox('root', {}, (text) => text);
  const reading = new Reading(root, dialect);
  const parser = new Parser(
    {
      onopentag: (name, attributes) => reading.open(name, attributes),
      ontext: (text) => reading.write(cleaned(text)),
      onclosetag: (name) => reading.close(name),
    },
    { recognizeSelfClosing: true },
  );
  const end = Math.min(html.length, MAX_UNITS);
  for (let at = 0; at < end && reading.depth < MAX_DEPTH; at += CHUNK)
    parser.write(html.slice(at, Math.min(at + CHUNK, end)));
  parser.end();
  return finished(root.parts.join(''));
}

function createBox(name: string, attributes: Attributes, render: Render): Box {
  const next = Number(attributes.start ?? 1) || 1;
  return { name, attributes, render, next, parts: [], gap: 0, rows: [], notes: new Map() };
}

/** Reads one text. */
export class Reading {
  /** One box for each open element. */
  readonly #stack: Box[];
  readonly #dialect: Dialect;
  /** Number of open elements whose content is left out. */
  #skipped = 0;
  /** Number of open elements with code. */
  #codes = 0;
  /** True if a space would be the second one, or the first of a line. */
  #afterSpace = true;
  /** Addresses that are in the text. */
  readonly linked = new Set<string>();
  /** Words of links, by the ids in lower case of the items to which they lead. */
  readonly labels = new Map<string, string>();

  constructor(root: Box, dialect: Dialect) {
    this.#stack = [root];
    this.#dialect = dialect;
  }

  get depth(): number {
    return this.#stack.length + this.#skipped;
  }

  /** Returns the innermost open element with one of these names. */
  nearest(...names: readonly string[]): Box | undefined {
    return this.#stack.findLast(({ name }) => names.includes(name));
  }

  open(name: string, received: Attributes): void {
    const hides = SKIPPED.has(name) || 'hidden' in received || HIDING.test(received.style ?? '');
    if (hides || this.#skipped > 0) {
      this.#skipped += 1;
      return;
    }
    const values = Object.entries(received).map(([key, value]) => [key, cleaned(value).trim()]);
    const attributes: Attributes = Object.fromEntries(values);
    this.#separate(this.#gapOf(name));
    const word = this.#dialect.opens?.(name, attributes, this) ?? this.#leaf(name);
    if (word !== '') {
      this.#append(word);
      this.#afterSpace = word.endsWith('\n');
    }
    const render = this.#renderOf(name, attributes);
    this.#stack.push(render === undefined ? this.#top : createBox(name, attributes, render));
    if (isCode(name)) this.#codes += 1;
  }

  write(text: string): void {
    if (this.#skipped > 0) return;
    if (this.#codes > 0) {
      this.#append(rawCode(text));
      return;
    }
    const words = text.replace(/\s+/g, ' ');
    const visible = this.#afterSpace ? words.trimStart() : words;
    if (visible === '') return;
    this.#append(visible);
    this.#afterSpace = visible.endsWith(' ');
  }

  close(name: string): void {
    if (this.#skipped > 0) {
      this.#skipped -= 1;
      return;
    }
    const box = this.#stack.pop();
    if (isCode(name)) this.#codes -= 1;
    if (box !== undefined && box !== this.#top) {
      this.#append(box.render(box.parts.join(''), box, this).slice(0, MAX_UNITS));
      if (!isBlock(name)) this.#top.gap = Math.max(this.#top.gap, box.gap);
    }
    this.#separate(this.#gapOf(name));
  }

  get #top(): Box {
    return this.#stack.at(-1) ?? createBox('root', {}, (text) => text);
  }

  #append(text: string): void {
    const { parts, gap } = this.#top;
    if (text === '') return;
    if (gap > 0 && parts.length > 0) parts.push('\n'.repeat(gap));
    this.#top.gap = 0;
    parts.push(text);
  }

  /** Separates what follows by line breaks, also from text outside of the inline elements that are open. */
  #separate(gap: number): void {
    if (gap === 0) return;
    this.#afterSpace = true;
    for (const box of this.#stack.toReversed()) {
      box.gap = Math.max(box.gap, gap);
      if (isBlock(box.name)) return;
    }
  }

  /** A list inside of an item follows the words of the item directly. */
  #gapOf(name: string): number {
    const isInner = isList(name) && this.nearest('ul', 'ol') !== undefined;
    return isInner ? 1 : (GAPS.get(name) ?? 0);
  }

  #leaf(name: string): string {
    if (name === 'br') return this.#codes > 0 ? rawCode('\n') : '\n';
    return name === 'hr' ? '---' : '';
  }

  #renderOf(name: string, attributes: Attributes): Render | undefined {
    const special = this.#dialect.renderOf?.(name, attributes, this);
    if (special !== undefined) return special;
    // Code inside of code gets no marks of its own: each level would double the marks of the level inside of it.
    const around = CODE.has(name) ? this.nearest(...CODE) : undefined;
    if (around === undefined) return RENDERS.get(name);
    if (name === 'code') around.notes.set('language', languageOf(attributes.class));
    return undefined;
  }
}

const CODE: ReadonlySet<string> = new Set(['code', 'pre', 'codeblock']);
const isCode = (name: string): boolean => name === 'pre' || name === 'codeblock';
const isList = (name: string | undefined): boolean => name === 'ul' || name === 'ol';
const isBlock = (name: string): boolean => GAPS.has(name) || name === 'td' || name === 'th';

/** Class names of code editors that name no language. */
const NO_LANGUAGE =
  /^(?:skipProofing|language-was-manually-selected|hljs|(?:language-)?(?:plain|plaintext|text))$/;

function languageOf(classes = ''): string {
  const names = classes.slice(0, 200).split(/\s+/);
  const language = names.find((name) => !NO_LANGUAGE.test(name))?.replace(/^language-/, '') ?? '';
  return /^[\w+#.-]{1,30}$/.test(language) ? language : '';
}

const styled =
  (mark: string): Render =>
  (text) =>
    emphasized(text, mark);

const titled =
  (level: number): Render =>
  (text) =>
    heading(text, level);

const item: Render = (text, { attributes }, reading) => {
  const list = reading.nearest('ul', 'ol');
  if (list?.name !== 'ol') return listItem(text, '-');
  const number = Number(attributes.value) || list.next;
  list.next = number + 1;
  return listItem(text, `${number}.`);
};

/** Some editors write a nested list beside the item to which it belongs. */
const list: Render = (text, _, reading) =>
  isList(reading.nearest('li', 'ul', 'ol')?.name) ? `   ${prefixed(text, '   ')}` : text;

const cell: Render = (text, { attributes }, reading) => {
  const owner = reading.nearest('table');
  if (owner === undefined) return `${text} `;
  const span = Math.min(Number(attributes.colspan) || 1, MAX_SPAN);
  if (owner.rows.length === 0) owner.rows.push([]);
  owner.rows.at(-1)?.push(text, ...Array.from({ length: Math.max(0, span - 1) }, () => ''));
  return '';
};

const row: Render = (text, _, reading) => {
  reading.nearest('table')?.rows.push([]);
  return text;
};

const anchor: Render = (text, { attributes: { href = '', itemid = '' } }, { linked, labels }) => {
  labels.set(itemid.toLowerCase(), finished(text));
  if (!/^(?:https?|mailto|tel):/i.test(href) || linked.has(href)) return text;
  linked.add(href);
  return link(text, href);
};

export const quotedLines = (text: string): string => `> ${prefixed(text.trim(), '> ')}`;

const snippet: Render = (text, { attributes, notes }) =>
  codeBlock(text, notes.get('language') || languageOf(attributes.class));

const RENDERS: ReadonlyMap<string, Render> = new Map<string, Render>([
  ['b', styled('**')],
  ['strong', styled('**')],
  ['i', styled('*')],
  ['em', styled('*')],
  ['s', styled('~~')],
  ['strike', styled('~~')],
  ['del', styled('~~')],
  ['h1', titled(1)],
  ['h2', titled(2)],
  ['h3', titled(3)],
  ['h4', titled(4)],
  ['h5', titled(5)],
  ['h6', titled(6)],
  ['a', anchor],
  ['code', inlineCode],
  ['pre', snippet],
  ['codeblock', snippet],
  ['li', item],
  ['ul', list],
  ['ol', list],
  ['td', cell],
  ['th', cell],
  ['tr', row],
  ['table', (text, { rows }) => [text.trim(), table(rows)].filter((part) => part !== '').join('\n\n')],
  ['blockquote', quotedLines],
]);
