/**
 * Converts the passages of a source to HTML. Links and images become plain text, so that a document cannot place
 * links on a page of the bridge.
 */

import type { Block, Cell, Inline, ListItem } from '../reply/markdown/blocks.ts';
import { carried } from '../reply/markdown/emission/escape.ts';
import { imageWords } from '../reply/markdown/inline.ts';
import { passageBlocks } from '../reply/markdown/passage.ts';

/**
 * Maximum number of cells in all tables of a passage. Short rows are filled with empty cells up to the width of the
 * head, which costs time and space.
 */
const MAX_CELLS = 2_000;

export function passageHtml(text: string): Html {
  const rows = text.split('\n').filter((each) => each.includes('|'));
  const widest = Math.max(0, ...rows.map((each) => each.split('|').length));
  if (widest * rows.length > MAX_CELLS) return html`<p class="plain">${text}</p>`;
  return blocks(passageBlocks(text));
}

const blocks = (all: readonly Block[]): Html => html`${all.map(block)}`;
const line = (cell: Cell): Html => html`${cell.map(inline)}`;

function block(one: Block): Html {
  switch (one.kind) {
    case 'paragraph':
      return html`<p>${line(one.children)}</p>`;
    // A passage's headings are not written as HTML headings, because they do not belong to the page's outline.
    case 'heading':
      return html`<p class="heading">${line(one.children)}</p>`;
    case 'quote':
      return html`<blockquote>${blocks(one.children)}</blockquote>`;
    case 'list': {
      const items = one.items.map(item);
      return one.start === undefined ? html`<ul>${items}</ul>` : html`<ol start="${one.start}">${items}</ol>`;
    }
    case 'code':
      return html`<pre tabindex="0"><code>${one.text}</code></pre>`;
    case 'table':
      return html`<div class="wide" role="group" aria-label="Table" tabindex="0"><table>${head(one.head)}<tbody>${one.rows.map(row)}</tbody></table></div>`;
    case 'rule':
      return html`<hr>`;
  }
}

const item = ({ done, children }: ListItem): Html =>
  html`<li>${done === undefined ? '' : done ? '☑ ' : '☐ '}${blocks(children)}</li>`;

const isBlank = (cells: readonly Cell[]): boolean => cells.every((cell) => line(cell).text.trim() === '');

/** Returns the table's head; empty if the passage starts below the head. */
const head = (cells: readonly Cell[]): Html =>
  isBlank(cells)
    ? html``
    : html`<thead><tr>${cells.map((cell) => html`<th scope="col">${line(cell)}</th>`)}</tr></thead>`;

const row = (cells: readonly Cell[]): Html =>
  html`<tr>${cells.map((cell) => html`<td>${line(cell)}</td>`)}</tr>`;

function inline(one: Inline): Html {
  switch (one.kind) {
    case 'text':
      return html`${one.text}`;
    case 'code':
      return html`<code>${one.text}</code>`;
    case 'strong':
      return html`<strong>${line(one.children)}</strong>`;
    case 'emphasis':
      return html`<em>${line(one.children)}</em>`;
    case 'strike':
      return html`<del>${line(one.children)}</del>`;
    case 'link':
      return line(one.children);
    case 'image':
      return html`<span class="image">${imageWords(one.alt, one.destination)}</span>`;
    case 'break':
      return one.hard ? html`<br>` : new Html(' ');
  }
}

/** Text that is HTML already and need not be escaped. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Inserted = string | number | Html | readonly Html[];

/** Returns a piece of HTML. Inserted strings are escaped for use as text and in quoted attributes. */
export function html(parts: TemplateStringsArray, ...inserted: readonly Inserted[]): Html {
  return new Html(parts.map((part, index) => part + textOf(inserted[index] ?? '')).join(''));
}

function textOf(value: Inserted): string {
  if (value instanceof Html) return value.text;
  if (typeof value === 'string') return escaped(value);
  return typeof value === 'number' ? String(value) : value.map(({ text }) => text).join('');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/**
 * Escapes text for HTML. Control characters, including those that reverse the writing direction, are replaced (attack
 * S11).
 */
const escaped = (text: string): string => carried(text).replace(/[&<>"']/g, (mark) => ENTITIES[mark] ?? '');
