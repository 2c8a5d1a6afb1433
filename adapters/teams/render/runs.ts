/**
 * The choke point of cards: what an agent, a document or a person wrote stands in text runs, in which Teams reads no
 * Markdown (Adaptive Cards schema, TextRun), or in a label that passed `label`. Text blocks hold only our own words.
 */

import { carried, followed, shortened } from '../../../src/kit/emission.ts';
import type { Plain } from '../../../src/kit/json.ts';
import { type Inline, imageWords, labelMisleads, plainInline } from '../../../src/kit.ts';
import { words } from './words.ts';

/** How a run looks. Names are those of the schema. */
export interface Style {
  readonly weight?: 'Bolder';
  readonly italic?: true;
  readonly strikethrough?: true;
  readonly fontType?: 'Monospace';
  readonly size?: 'Small';
  readonly isSubtle?: true;
  readonly color?: 'Good' | 'Warning' | 'Attention';
}

export type Run = Plain;

/** The look of small print. */
export const quiet: Style = { isSubtle: true, size: 'Small' };
/** Places an element directly under the one above it. */
export const close: Plain = { spacing: 'None' };

/** Dates in double braces would be written as somebody's local time. */
const macro = /\{\{(?=[A-Z])/g;

/** Text as a card shows it exactly. */
const exact = (text: string): string => carried(text).replace(macro, '{\u2060{');

export function run(text: string, style: Style = {}): Run {
  return { type: 'TextRun', text: exact(text), ...style };
}

/** A label of one line: never empty, never longer. */
export function label(text: string, limit: number, otherwise: string): string {
  const line = exact(text).replace(/\s+/g, ' ').trim();
  return shortened(line === '' ? otherwise : line, limit);
}

/** A run without a look of its own may be a bare string, which is shorter (Adaptive Cards schema, RichTextBlock). */
export function richText(runs: readonly Run[], more: Plain = {}): Plain {
  const inlines = runs.map((each) => (Object.keys(each).length === 2 ? each.text : each));
  return { type: 'RichTextBlock', inlines, ...more };
}

/** A paragraph of the same look. */
export const line = (text: string, style: Style = {}, more: Plain = {}): Plain =>
  richText([run(text, style)], more);

/** What opens an address; nothing where it may not be followed. Mail addresses are opened by no card. */
export function openUrl(address: string | undefined): Plain | undefined {
  const target = address === undefined ? undefined : followed(address);
  if (target === undefined || !/^https?:/.test(target.href)) return undefined;
  return { type: 'Action.OpenUrl', url: target.href };
}

/** Returns the address if it is one of https that may be followed. */
export function httpsOnly(address: string | undefined): string | undefined {
  const href = address === undefined ? undefined : followed(address)?.href;
  return href?.startsWith('https:') ? href : undefined;
}

/** A name that opens an address; where it claims another host, the true one stands beside it. */
export function linkRuns(name: string, address: string | undefined, style: Style = {}): readonly Run[] {
  const selectAction = openUrl(address);
  const target = address === undefined ? undefined : followed(address);
  if (selectAction === undefined || target === undefined) return [run(name, style)];
  const shown = name.trim() === '' ? target.host : name;
  const told = labelMisleads(name, target.href) ? [run(` (${target.host})`, style)] : [];
  return [{ ...run(shown, style), selectAction }, ...told];
}

const styles = {
  strong: { weight: 'Bolder' },
  emphasis: { italic: true },
  strike: { strikethrough: true },
} as const;

type Numbers = ReadonlyMap<number, number>;
const mark = /\[(\d{1,4})\]/g;

const numbered = (text: string, numbers: Numbers): string =>
  text.replace(mark, (whole, number) => {
    const found = numbers.get(Number(number));
    return found === undefined ? whole : `[${found}]`;
  });

/** Inline content as runs; neighbours that look the same are one. */
export function runsOf(inlines: readonly Inline[], numbers: Numbers, style: Style = {}): readonly Run[] {
  return inlines.flatMap((inline) => runsOfOne(inline, numbers, style)).filter(({ text }) => text !== '');
}

function runsOfOne(inline: Inline, numbers: Numbers, style: Style): readonly Run[] {
  switch (inline.kind) {
    case 'text':
      return [run(numbered(inline.text, numbers), style)];
    case 'code':
      return [run(inline.text, { ...style, fontType: 'Monospace' })];
    case 'break':
      return [run(inline.hard ? '\n' : ' ', style)];
    case 'image':
      return [run(`${words.imageMark} ${imageWords(inline.alt, inline.destination)}`, style)];
    case 'link':
      return linkRuns(plainInline(inline.children), inline.destination, style);
    default:
      return runsOf(inline.children, numbers, { ...style, ...styles[inline.kind] });
  }
}
