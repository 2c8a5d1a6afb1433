/** The commands as people are told of them; how they are read is in reading.ts. */

export interface CommandHelp {
  /** What to say; a word in angle brackets stands for one's own. */
  readonly say: string;
  /** Read after "to". */
  readonly to: string;
}

export const commandList: readonly CommandHelp[] = [
  { say: 'help', to: 'see what can be said' },
  { say: 'agents', to: 'see who can be asked' },
  { say: 'use <agent>', to: 'choose who answers from now on' },
  { say: 'new', to: 'begin a new conversation' },
  { say: 'stop', to: 'end the running answer' },
  { say: 'sources', to: 'see the last answer’s sources again' },
  { say: 'why', to: 'see how the last answer came about' },
  { say: 'search <query>', to: 'look for passages in the documents' },
  { say: 'files', to: 'see which documents there are' },
  { say: 'undo', to: 'take back documents that you shared in the last ten minutes' },
  { say: 'language <code>', to: 'ask for answers in another language, such as `de`' },
  { say: 'whoami', to: 'see as whom you ask' },
];
