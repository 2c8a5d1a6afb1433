/** The commands as `help` lists them. Their parser is in reading.ts. */

export interface CommandHelp {
  /** The command; a word in angle brackets is a placeholder. */
  readonly say: string;
  /** Read after "to". */
  readonly to: string;
}

export const commandList: readonly CommandHelp[] = [
  { say: 'help', to: 'list the commands' },
  { say: 'agents', to: 'list the agents' },
  { say: 'use <agent>', to: 'choose who answers from now on' },
  { say: 'new', to: 'begin a new conversation' },
  { say: 'stop', to: 'end the running answer' },
  { say: 'sources', to: 'show the last answer’s sources again' },
  { say: 'why', to: 'show how the last answer was made' },
  { say: 'search <query>', to: 'search the documents for passages' },
  { say: 'files', to: 'list the documents' },
  { say: 'undo', to: 'take back documents that you shared in the last ten minutes' },
  { say: 'language <code>', to: 'ask for answers in another language, such as `de`' },
  { say: 'whoami', to: 'show which platform account answers for you' },
];
