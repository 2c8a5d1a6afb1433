/** Addresses inside Markdown links: judged, and written so that no parser can read them otherwise. */

import { labelMisleads, safeDestination } from '../links.ts';
import { plain } from '../plain.ts';
import { asWords } from './escape.ts';

/** Characters that end a destination or mean something to a table, a code span or a channel. */
const ends = /[()<>|`\\\s]/g;

const encoded = (char: string): string =>
  `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;

export interface Followed {
  readonly href: string;
  readonly host: string;
}

/** The address as it may stand in a Markdown link; nothing where it may not be followed. */
export function followed(destination: string): Followed | undefined {
  const safe = safeDestination(destination.replaceAll('&amp;', '&'));
  // An entity inside a host would be another host once it is decoded.
  if (safe === undefined || safe.host.includes('&')) return undefined;
  return { href: safe.href.replace(ends, encoded), host: safe.host };
}

/**
 * A link of Markdown.
 * @param source the label as the writer wrote it, Markdown
 * @param shown the same, ready for the channel; an empty one shows the host
 */
export function linkTo({ href, host }: Followed, source: string, shown: string): string {
  const name = shown.trim() === '' ? asWords(host) : shown;
  return labelMisleads(plain(source), href) ? `[${name}](${href}) (${asWords(host)})` : `[${name}](${href})`;
}
