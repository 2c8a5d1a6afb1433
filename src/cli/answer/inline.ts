/** Converts part of a line into styled runs: emphasis becomes a style; a link becomes its label and its address. */

import { type Inline, parse, plainInline, showsAddress } from '../../kit/ladder.ts';
import type { Run, Style } from './styled-writer.ts';

const meaningful = /[\\`*_~[\]&<>]/;
/** Matches an HTML line break. In Markdown that the bridge has made safe, its angle brackets are entities. */
const breaks = /&lt;br ?\/?&gt;/gi;

/** Replaces line breaks in a table row by spaces, because each cell is printed on one line. */
export const withoutBreaks = (row: string): string => row.replace(breaks, ' ');

/**
 * Converts text into styled runs.
 * @param text safe Markdown without a line end
 * @param before the character that precedes the text on its line, which shows whether a word continues
 */
export function runsOf(text: string, before: string): readonly Run[] {
  if (!meaningful.test(text)) return text === '' ? [] : [{ text, styles: [] }];
  const [first = '', ...others] = text.split(breaks);
  const line = { text: '\n', styles: [] };
  return [...lineRuns(first, before), ...others.flatMap((part) => [line, ...lineRuns(part, '')])];
}

function lineRuns(text: string, before: string): readonly Run[] {
  const end = text.trimEnd();
  const lead = leadFor(before);
  const [block] = parse(lead + inertAddresses(end));
  const inlines = block?.kind === 'paragraph' ? block.children : [];
  const space = { text: text.slice(end.length), styles: [] };
  return [...withoutLead(inlines, lead).flatMap((inline) => runsOfInline(inline, [])), space];
}

/**
 * Matches code and links, which stay unchanged; addresses in plain text, without marks of emphasis at their end; and
 * characters that may begin an address.
 */
const addresses =
  /\\.|(`+)(?!`).*?(?<!`)\1(?!`)|\[(?:\\.|`[^`]*`|[^\\\]`])*\]\([^()\s]*\)|(https?:\/\/(?:\\[!-/:-@[-`{-~]|&(?!lt;|gt;)|[^\s\\`[\]&<>*_~]|[*_~]+(?=[\p{L}\p{N}/%?=&#-]))*)|[:@$]/giu;

/**
 * Writes `*`, `_` and `~` inside addresses as entities, so that they are not emphasis. A backslash would stay visible
 * behind a word that looks like a path. Addresses need no link, because terminals detect them.
 */
export const inertAddresses = (text: string): string =>
  text.replace(addresses, (whole, _marks, address?: string) => {
    if (address !== undefined) return address.replace(/(?<!\\)[*_~]|[:@]/g, entityOf);
    // The text is escaped already, so none of its characters may begin a formula.
    if (/^\\[!-/:-@[-`{-~]$/.test(whole)) return entityOf(whole.charAt(1));
    return whole.length === 1 ? entityOf(whole) : whole;
  });

const entityOf = (char: string): string => `&#${char.charCodeAt(0)};`;

/**
 * Returns characters to put before a text when the text is parsed, so that the parser does not take it for a block such
 * as a heading. The last of these characters is of the same kind as the end of `before` (letter, space or punctuation),
 * because emphasis depends on that.
 */
function leadFor(before: string): string {
  if (/[\p{L}\p{N}]/u.test(before)) return 'x';
  return before === '' || /\s/.test(before) ? 'x ' : 'x;';
}

function withoutLead(inlines: readonly Inline[], lead: string): readonly Inline[] {
  const [first, ...others] = inlines;
  return first?.kind === 'text'
    ? [{ kind: 'text', text: first.text.slice(lead.length) }, ...others]
    : inlines;
}

const looks = { strong: 'bold', emphasis: 'italic', strike: 'strike' } as const;

/** Converts the content of a table cell into styled runs. */
export const cellRuns = (inlines: readonly Inline[], ...styles: readonly Style[]): readonly Run[] =>
  inlines.flatMap((inline) => runsOfInline(inline, styles));

function runsOfInline(inline: Inline, styles: readonly Style[]): readonly Run[] {
  switch (inline.kind) {
    case 'text':
      return [{ text: inline.text, styles }];
    case 'code':
      return [{ text: inline.text, styles: [...styles, 'code'] }];
    case 'break':
      return [{ text: inline.hard ? '\n' : ' ', styles }];
    case 'image':
      return [{ text: plainInline([inline]), styles }];
    case 'link':
      return runsOfLink(inline, styles);
    default:
      return inline.children.flatMap((child) => runsOfInline(child, [...styles, looks[inline.kind]]));
  }
}

function runsOfLink(link: Inline & { kind: 'link' }, styles: readonly Style[]): readonly Run[] {
  const words = link.children.flatMap((child) => runsOfInline(child, styles));
  return showsAddress(link)
    ? words
    : [...words, { text: ` (${link.destination})`, styles: [...styles, 'dim'] }];
}
