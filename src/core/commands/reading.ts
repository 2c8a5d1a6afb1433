/** Recognizes the commands that people send to the bridge itself. */

import type { Message } from '../message.ts';

export interface CommandHelp {
  /** The text to send; a word in angle brackets is a placeholder. */
  readonly say: string;
  /** What the command does, as an infinitive without "to", such as "list the agents". */
  readonly to: string;
}

/** The commands in the order of `help`. */
export const commandList: readonly CommandHelp[] = [
  { say: 'help', to: 'list the commands' },
  { say: 'agents', to: 'list the agents' },
  { say: 'use <agent>', to: 'choose who answers from now on' },
  { say: 'new', to: 'start a new conversation' },
  { say: 'stop', to: 'stop the running answer' },
  { say: 'instead', to: 'stop the running answer and ask your waiting question now' },
  { say: 'listen', to: 'take every message in this thread as a question' },
  { say: 'quiet', to: 'answer in this thread only if I am mentioned' },
  { say: 'sources', to: 'show the last answer’s sources again' },
  { say: 'why', to: 'show how the last answer was made' },
  { say: 'search <query>', to: 'search the documents for passages' },
  { say: 'files', to: 'list the documents' },
  { say: 'undo', to: 'remove documents that you added in the last ten minutes' },
  { say: 'language <code>', to: 'ask for answers in another language, such as `de`' },
  { say: 'link', to: 'connect yourself to your account on the agent platform' },
  { say: 'unlink', to: 'end this connection' },
  { say: 'whoami', to: 'show which platform account answers for you' },
];

export type Command =
  | { readonly name: Bare }
  | { readonly name: 'use'; readonly agent: string }
  /** Without a language, shows the current one. */
  | { readonly name: 'language'; readonly language?: string }
  /** Without a code, the person gets a new one. */
  | { readonly name: 'link'; readonly code?: string; readonly isConfirmed: boolean }
  /** Without a query, explains how to search. */
  | { readonly name: 'search'; readonly query?: string };

const BARE_WORDS = [
  'help',
  'new',
  'stop',
  'instead',
  'agents',
  'listen',
  'quiet',
  'whoami',
  'sources',
  'files',
  'undo',
  'why',
  'unlink',
] as const;
type Bare = (typeof BARE_WORDS)[number];

const USE = /^\/?use(?:\s+@?(\S+))?$/i;
const LANGUAGE = /^\/?language(?:\s+(\S+))?$/i;
const SEARCH = /^\/?search(?:\s+(\S.*))?$/i;

/** Only the exact form of a code is read, so that "link budget" stays a question. */
const LINK = /^\/?link(?:\s+([A-Z2-9]{4}(?:-[A-Z2-9]{4}){2})(\s+confirm)?)?$/i;

/** Returns the command in a message. Returns undefined if the message has files, because it is then a question. */
export function commandOf({ text, files }: Pick<Message, 'text' | 'files'>): Command | undefined {
  return files.length === 0 ? parseCommand(text) : undefined;
}

/** Returns the command if the text consists only of a command word and its argument, with or without a slash. */
export function parseCommand(text: string): Command | undefined {
  const trimmed = text.trim();
  const use = USE.exec(trimmed);
  // `use` without a name lists the agents: Teams suggests the bare word and sends it when a person selects it.
  if (use !== null) return use[1] === undefined ? { name: 'agents' } : { name: 'use', agent: use[1] };
  const search = SEARCH.exec(trimmed);
  if (search !== null) return { name: 'search', ...(search[1] !== undefined && { query: search[1] }) };
  const language = LANGUAGE.exec(trimmed);
  if (language !== null)
    return { name: 'language', ...(language[1] !== undefined && { language: language[1] }) };
  const link = LINK.exec(trimmed);
  if (link !== null)
    return {
      name: 'link',
      ...(link[1] !== undefined && { code: link[1] }),
      isConfirmed: link[2] !== undefined,
    };
  const word = trimmed.replace(/^\//, '').toLowerCase();
  const name = BARE_WORDS.find((each) => each === word);
  return name === undefined ? undefined : { name };
}
