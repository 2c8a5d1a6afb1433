/** Text that is HTML already; everything else that enters a page is escaped. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Inserted = string | number | Html | readonly Html[];

/** A piece of a page. What is inserted is escaped, here and nowhere else. */
export function html(parts: TemplateStringsArray, ...inserted: readonly Inserted[]): Html {
  const texts = parts.map((part, index) => part + shown(inserted[index] ?? ''));
  return new Html(texts.join(''));
}

function shown(value: Inserted): string {
  if (value instanceof Html) return value.text;
  if (typeof value === 'string' || typeof value === 'number') return escaped(String(value));
  return value.map((piece) => piece.text).join('');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escaped = (text: string): string => text.replace(/[&<>"']/g, (mark) => ENTITIES[mark] ?? '');
