/** The one choke point of the bridge's own pages: text becomes HTML here and nowhere else. */

import { carried } from '../reply/markdown/emission/escape.ts';

/** Text that is HTML already. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Inserted = string | number | Html | readonly Html[];

/** A piece of a page. Strings that are inserted are escaped for text and for quoted attributes. */
export function html(parts: TemplateStringsArray, ...inserted: readonly Inserted[]): Html {
  return new Html(parts.map((part, index) => part + shown(inserted[index] ?? '')).join(''));
}

function shown(value: Inserted): string {
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

/** Controls, and the marks that turn letters around, become replacement characters (attack S11). */
const escaped = (text: string): string => carried(text).replace(/[&<>"']/g, (mark) => ENTITIES[mark] ?? '');
