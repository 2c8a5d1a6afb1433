/** The words that people say to the bridge itself. */

import type { Message } from '../message.ts';

export type Command =
  | { readonly name: Bare }
  | { readonly name: 'use'; readonly agent: string }
  /** Without a language: which one it is. */
  | { readonly name: 'language'; readonly language?: string }
  /** Without a query: how to search. */
  | { readonly name: 'search'; readonly query?: string };

const BARE_WORDS = ['help', 'new', 'stop', 'agents', 'whoami', 'sources', 'files', 'undo', 'why'] as const;
type Bare = (typeof BARE_WORDS)[number];

const USE = /^\/?use(?:\s+@?(\S+))?$/i;
const LANGUAGE = /^\/?language(?:\s+(\S+))?$/i;
const SEARCH = /^\/?search(?:\s+(\S.*))?$/i;

/** The command that a message is; with a file it is a question. */
export function commandOf({ text, files }: Pick<Message, 'text' | 'files'>): Command | undefined {
  return files.length === 0 ? parseCommand(text) : undefined;
}

/** The command that a text is: the bare word, with or without a slash, and nothing else but what it takes. */
export function parseCommand(text: string): Command | undefined {
  const said = text.trim();
  const use = USE.exec(said);
  // Alone it asks whom there is: Teams offers the bare word, and sends it at a press.
  if (use !== null) return use[1] === undefined ? { name: 'agents' } : { name: 'use', agent: use[1] };
  const search = SEARCH.exec(said);
  if (search !== null) return { name: 'search', ...(search[1] !== undefined && { query: search[1] }) };
  const language = LANGUAGE.exec(said);
  if (language !== null)
    return { name: 'language', ...(language[1] !== undefined && { language: language[1] }) };
  const word = said.replace(/^\//, '').toLowerCase();
  const name = BARE_WORDS.find((each) => each === word);
  return name === undefined ? undefined : { name };
}
