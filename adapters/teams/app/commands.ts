/** The commands that Teams offers while people write. */

import type { TeamsConfig } from '../config.ts';

/** Teams takes so many of a scope. */
const MOST = 12;

/** Those that a newcomer needs come first: the operator's own questions push the last ones out. */
const COMMANDS = [
  ['help', 'What you can say'],
  ['agents', 'Who can be asked'],
  ['new', 'Begin a new conversation'],
  ['stop', 'End the running answer'],
  ['sources', "The last answer's sources again"],
  ['use', 'Choose who answers from now on: use and a name'],
  ['search', 'Look for passages in the documents: search and what you look for'],
  ['files', 'Which documents there are'],
  ['language', 'Ask for answers in another language: language and its code, such as de'],
  ['why', 'How the last answer came about'],
  ['whoami', 'As whom you ask'],
  ['undo', 'Take back documents that you shared in the last ten minutes'],
] as const;

const commands = COMMANDS.map(([title, description]) => ({ title, description }));

/** One list for each place, as the schema asks. Questions are offered where people are alone with the bot. */
export function commandLists(prompts: TeamsConfig['prompts']): readonly object[] {
  const questions = prompts.map(({ title, message }) => ({ title, type: 'prompt', prompt: message }));
  return [
    { scopes: ['personal'], commands: [...questions, ...commands].slice(0, MOST) },
    { scopes: ['team'], commands },
    { scopes: ['groupChat'], commands },
  ];
}
