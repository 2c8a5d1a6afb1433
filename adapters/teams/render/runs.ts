/**
 * Escapes text for cards. All text from agents, documents and people goes through this file. It becomes text runs, in
 * which Teams does not interpret Markdown (Adaptive Cards schema, TextRun), or labels made by `label`. Text blocks, in
 * which Teams interprets Markdown, contain only sentences of the bridge.
 */

import {
  carried,
  followed,
  type Inline,
  imageWords,
  labelMisleads,
  type Plain,
  plainInline,
  renumberedWords,
  shortened,
} from '../../../src/kit/ladder.ts';
import { words } from './words.ts';

/** Style of a text run, with the names of the Adaptive Cards schema. */
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

/** Style of small print. */
export const quiet: Style = { isSubtle: true, size: 'Small' };
/** Places an element directly under the one above it. */
export const noGap: Plain = { spacing: 'None' };

/** Matches the start of a date macro, which Teams' clients would replace by a local time. */
const macro = /\{\{(?=[A-Z])/g;

/** Escapes a text so that a card shows it unchanged. */
const exact = (text: string): string => carried(text).replace(macro, '{\u2060{');

export function run(text: string, style: Style = {}): Run {
  return { type: 'TextRun', text: exact(text), ...style };
}

/** Returns a label on one line. It is never empty and never longer than `limit` UTF-16 units. */
export function label(text: string, limit: number, otherwise: string): string {
  const line = exact(text).replace(/\s+/g, ' ').trim();
  return shortened(line === '' ? otherwise : line, limit);
}

/** Returns a block of text runs. A run without a style becomes a string, which is shorter (schema, RichTextBlock). */
export function richText(runs: readonly Run[], more: Plain = {}): Plain {
  const inlines = runs.map((each) => (Object.keys(each).length === 2 ? each.text : each));
  return { type: 'RichTextBlock', inlines, ...more };
}

/** Returns a paragraph with one style. */
export const line = (text: string, style: Style = {}, more: Plain = {}): Plain =>
  richText([run(text, style)], more);

/**
 * Returns an action that opens the address. Returns undefined if the address is unsafe or not http(s); cards cannot
 * open mail addresses.
 */
export function openUrl(address: string | undefined): Plain | undefined {
  const target = address === undefined ? undefined : followed(address);
  if (target === undefined || !/^https?:/.test(target.href)) return undefined;
  return { type: 'Action.OpenUrl', url: target.href };
}

/** Returns the button that opens the address; none if `openUrl` returns no action. */
export function openButton(address: string | undefined): readonly Plain[] {
  const open = openUrl(address);
  return open === undefined ? [] : [{ ...open, title: words.open }];
}

/** Returns the address if it is https and safe to open; otherwise undefined. */
export function httpsOnly(address: string | undefined): string | undefined {
  const href = address === undefined ? undefined : followed(address)?.href;
  return href?.startsWith('https:') ? href : undefined;
}

/** Returns a linked name. If the name looks like an address on another host, the real host follows it. */
export function linkRuns(name: string, address: string | undefined, style: Style = {}): readonly Run[] {
  const selectAction = openUrl(address);
  const target = address === undefined ? undefined : followed(address);
  // A card cannot open a mail address, so it shows the address.
  const mail = target?.href.startsWith('mailto:') ? target.href.slice('mailto:'.length) : name;
  const whole = name.includes(mail) ? name : `${name} (${mail})`;
  if (selectAction === undefined || target === undefined) return [run(whole, style)];
  const title = name.trim() === '' ? target.host : name;
  const host = labelMisleads(name, target.href) ? [run(` (${target.host})`, style)] : [];
  return [{ ...run(title, style), selectAction }, ...host];
}

const styles = {
  strong: { weight: 'Bolder' },
  emphasis: { italic: true },
  strike: { strikethrough: true },
} as const;

type Numbers = ReadonlyMap<number, number>;

/** Returns inline content as text runs, without empty runs. */
export function runsOf(inlines: readonly Inline[], numbers: Numbers, style: Style = {}): readonly Run[] {
  return inlines.flatMap((inline) => runsOfOne(inline, numbers, style)).filter(({ text }) => text !== '');
}

function runsOfOne(inline: Inline, numbers: Numbers, style: Style): readonly Run[] {
  switch (inline.kind) {
    case 'text':
      return [run(renumberedWords(inline.text, numbers), style)];
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
