/** The words that people say to the bridge itself. */

import type { Message } from '../message.ts';

export type Command =
  | { readonly name: Bare }
  | { readonly name: 'use'; readonly agent: string }
  /** Without a language: which one it is. */
  | { readonly name: 'language'; readonly language?: string }
  | { readonly name: 'search'; readonly query: string };

const BARE_WORDS = ['help', 'new', 'stop', 'agents', 'whoami', 'sources', 'files', 'undo', 'why'] as const;
type Bare = (typeof BARE_WORDS)[number];

const USE = /^\/?use\s+@?(\S+)$/i;
const LANGUAGE = /^\/?language(?:\s+(\S+))?$/i;
const SEARCH = /^\/?search\s+(\S.*)$/i;

/** The command that a message is; with a file it is a question. */
export function commandOf({ text, files }: Pick<Message, 'text' | 'files'>): Command | undefined {
  return files.length === 0 ? parseCommand(text) : undefined;
}

/** The command that a text is: the bare word, with or without a slash, and nothing else but what it takes. */
export function parseCommand(text: string): Command | undefined {
  const said = text.trim();
  const agent = USE.exec(said)?.[1];
  if (agent !== undefined) return { name: 'use', agent };
  const query = SEARCH.exec(said)?.[1];
  if (query !== undefined) return { name: 'search', query };
  const language = LANGUAGE.exec(said);
  if (language !== null)
    return { name: 'language', ...(language[1] !== undefined && { language: language[1] }) };
  const word = said.replace(/^\//, '').toLowerCase();
  const name = BARE_WORDS.find((each) => each === word);
  return name === undefined ? undefined : { name };
}
