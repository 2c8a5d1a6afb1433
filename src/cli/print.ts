import type { ReplyDocument, Source } from '../core/reply.ts';
import { passageText } from '../kit.ts';

/** Characters of a fragment that a list shows. */
const FRAGMENT = 160;

/** What turns the direction of a line, so that a name can be read as another. */
const TURNS = '\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069';
const OBEYED = new RegExp(`[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f${TURNS}]`, 'g');
/** JSON escapes the others by itself. */
const UNESCAPED = new RegExp(`[\\u007f-\\u009f${TURNS}]`, 'g');

/** Text from elsewhere without what a terminal would obey. */
export function plain(text: string): string {
  return text.replace(OBEYED, '');
}

/** JSON that a terminal can show; a reader of JSON finds the very same value. */
export function jsonText(value: unknown, replace?: (name: string, value: unknown) => unknown): string {
  const text = JSON.stringify(value, replace, 2);
  return text.replace(UNESCAPED, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

export interface Printer {
  print(document: ReplyDocument): void;
}

/**
 * Prints a growing text. What was printed cannot be taken back: a text that was begun anew, as the number of rewrites
 * tells, is printed again under a rule.
 */
export function createGrowth(out: (text: string) => void): (text: string, rewrites: number) => void {
  let printed = 0;
  let known = 0;
  return (text, rewrites) => {
    if (rewrites !== known && printed > 0) {
      out('\n\n---\n\n');
      printed = 0;
    }
    known = rewrites;
    out(plain(text.slice(printed)));
    printed = text.length;
  };
}

/** Prints the growing text to `out` and the agent's steps to `aside`. */
export function createPrinter(out: (text: string) => void, aside: (line: string) => void): Printer {
  const growth = createGrowth(out);
  const steps = new Set<string>();
  return {
    print(document) {
      for (const { id, name } of document.steps) {
        if (!steps.has(id)) aside(`· ${plain(name)}`);
        steps.add(id);
      }
      growth(document.text, document.rewrites);
    },
  };
}

/** A picture or file of an answer, and where it can be opened. */
export interface Found {
  readonly kind: 'image' | 'file';
  readonly name: string;
  /** An address that a person may open, or the file that the picture was put into. */
  readonly at?: string;
}

/** What follows the text: notices, pictures and files, sources, suggestions. */
export function ending(document: ReplyDocument, media: readonly Found[]): string {
  const notices = document.notices.map(({ text }) => plain(text));
  const pictures = media.map(
    ({ name, at }) => `  ${plain(name)}: ${at === undefined ? 'cannot be opened' : plain(at)}`,
  );
  const sources = numbered(document.sources).flatMap(({ number, source }) => sourceLines(number, source));
  const suggestions = document.suggestions.map((text) => `  ${plain(text)}`);
  const parts = [
    notices.join('\n'),
    titled('Images and files', pictures),
    titled('Sources', sources),
    titled('You could ask next', suggestions),
  ];
  return parts
    .filter((part) => part !== '')
    .map((part) => `\n${part}\n`)
    .join('');
}

const titled = (title: string, lines: readonly string[]): string =>
  lines.length === 0 ? '' : [`${title}:`, ...lines].join('\n');

/** Sources keep the mark that the text uses for them; the others take the numbers that are left. */
export function numbered(
  sources: readonly Source[],
): readonly { readonly number: number; readonly source: Source }[] {
  const taken = new Set(sources.map(({ mark }) => mark));
  let next = 0;
  const free = (): number => {
    do next += 1;
    while (taken.has(next));
    return next;
  };
  return sources
    .map((source) => ({ number: source.mark ?? free(), source }))
    .toSorted((one, other) => one.number - other.number);
}

function sourceLines(number: number, { title, link, fragments }: Source): readonly string[] {
  const best = passageText(fragments[0]?.text ?? '').replace(/\s+/g, ' ');
  const short = best.length > FRAGMENT ? `${best.slice(0, FRAGMENT).toWellFormed()}…` : best;
  return [
    `  [${number}] ${plain(title)}${link === undefined ? '' : ` ${plain(link)}`}`,
    ...(short === '' ? [] : [`      ${plain(short)}`]),
  ];
}
