import type { Source } from './reply.ts';
import { words } from './words.ts';

/**
 * What people read as a source's title: its own, else a word for what it is with its number. The platform's ids are no
 * titles (platform contract CHL-18).
 */
export function sourceTitle({ title, kind }: Pick<Source, 'title' | 'kind'>, number: number): string {
  const own = title.trim();
  return own === '' ? words.unnamedSource[kind](number) : own;
}
