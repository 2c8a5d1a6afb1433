/** Parley's own sentences: short, plain, kind; what happened, what stays, what to do next. */

import { catalogue, PRESS_RETRY } from '../errors.ts';
import type { TurnId } from './ids.ts';
import { languageName, languages } from './languages.ts';
import type { ThreadRef } from './message.ts';
import type { Source } from './reply.ts';

/** Number of characters of a turn's id that people are shown, enough to find it in the log. */
const REFERENCE_LENGTH = 8;

const knownLanguages = languages.map(({ name, code }) => `${name} (\`${code}\`)`).join(', ');

export const words = {
  stopped: 'Stopped. What had arrived stays.',
  stoppedBeforeText: 'Stopped before the agent had answered.',
  guests:
    'Guests and people of other organisations may not use this here. The operator of the bridge can change that.',
  bots: 'Other bots may not use this here. The operator of the bridge can change that.',
  unmapped:
    'I do not know your account of the agent platform, so I cannot ask for you. The operator of the bridge can add it.',
  brokeOff: (why: string) => `The answer broke off because ${why}. What had arrived stays. ${PRESS_RETRY}`,
  askedAnew: 'The question was edited. Asking again…',
  remarks: {
    'context-lost': 'The agent no longer knew the earlier conversation, so this answer starts afresh.',
    'answer-cut': 'The answer was longer than can be shown here and was cut.',
    'end-unmarked': 'This answer may be incomplete: the platform did not mark its end.',
  },
  /** Both choices at the platform's prompt about personal data, and the text that replaces removed data. */
  personalData: {
    send: 'Send it anyway',
    without: 'Ask without it',
    removed: '[removed]',
  },
  notRemembered: 'This conversation could not be remembered, so a follow-up question may start afresh.',
  lookAtImage: 'Please look at the attached image and tell what it shows.',
  newConversation: (agent: string) => `A new conversation with **${agent}** begins here.`,
  /** The scope of a choice: all of a direct room, one thread, or a group chat, which has no threads. */
  where: ({ kind, room, key }: Pick<ThreadRef, 'kind' | 'room' | 'key'>) =>
    kind === 'direct' ? 'here' : room === key ? 'in this chat' : 'in this thread',
  nowAsking: (agent: string, where: string) => `From now on **${agent}** answers ${where}.`,
  unknownAgent: (
    name: string,
    { known, near }: { readonly known: readonly string[]; readonly near: string | undefined },
  ) =>
    `There is no agent called "${name}" here.${near === undefined ? '' : ` Did you mean "${near}"?`} You can ask: ${known.join(', ')}.`,
  howToUse: (where: string) => `Say \`use\` and a name to choose who answers ${where}.`,
  notRepeatable: 'This answer cannot be repeated any more. Please ask the question again.',
  versionGone: 'That version is no longer kept: earlier versions of an answer stay for 24 hours.',
  versionBeingWritten: 'A new version is being written just now. Please look at the others when it is done.',
  nothingRuns: 'Nothing is running here.',
  lastSources: (count: number) =>
    `The last answer here drew on ${count} ${count === 1 ? 'source' : 'sources'}.`,
  languageIs: (agent: string, language: string, where: string) =>
    `**${agent}** is asked to answer in ${languageName(language)} (\`${language}\`) ${where}. Documents and quotations from them keep their language. Say \`language auto\` to leave the choice to the agent.`,
  ownLanguage: (agent: string, where: string) =>
    `**${agent}** chooses the language of its answers. Say \`language de\`, for example, to ask for German ${where}.`,
  takesNoLanguage: (agent: string) =>
    `**${agent}** cannot be told which language to answer in. Ask in the language that you want, or name it in your question.`,
  noLanguage: (said: string) =>
    `"${said}" is not a language that I know. Say \`language\` with a code: ${knownLanguages}, or that of another one.`,
  noLibrary:
    'I cannot look into the documents here. The operator can change that by setting `platform.credentials.open`.',
  whatToSearch: 'Say `search` and what you look for, such as `search opening hours`.',
  nothingFound: (query: string) => `Nothing was found for "${query}".`,
  openSource: 'Open',
  relevance: (percent: number) => `relevance ${percent} %`,
  bestScore: (score: string) => `score ${score}, the best`,
  score: (score: string, percent: number) => `score ${score}, ${percent} % of the best`,
  found: (query: string) => `Passages for "${query}", the best first:`,
  unnamedSource: {
    document: (number: number) => `Document ${number}`,
    image: (number: number) => `Image ${number}`,
    QnA: (number: number) => `Question and answer ${number}`,
    other: (number: number) => `Source ${number}`,
  },
  unnamedFile: 'a document without a name',
  noFiles: (workspace: string) => `There are no files in ${workspace} yet.`,
  filesOf: (workspace: string) => `The newest files in **${workspace}**:`,
  moreFiles: (count: number) => `and ${count} more.`,
  fileStates: { indexing: 'being read', failed: 'could not be read', ready: 'ready' },
  noWorkspaces: 'There are no knowledge workspaces that can be seen from here.',
  workspaces: 'The knowledge workspaces that can be seen from here:',
  fileCount: (count: number) => (count === 0 ? 'no files yet' : count === 1 ? 'one file' : `${count} files`),
  noAnswerYet: 'There is no answer here yet.',
  receiptGone: 'How the last answer came about is no longer kept: that stays for 24 hours.',
  receiptOf: 'How the last answer came about:',
  seesImages: 'Sees images.',
  ownAccount: 'the agent’s own account',
  platformAccount: (account: string) => `the platform account **${account}**`,
  answeredBy: (agent: string, account: string) => `**${agent}** answered, with ${account}`,
  wentOn: 'it went on in the same conversation',
  beganAnew: 'it began a new conversation',
  sawImages: (count: number) => (count === 1 ? 'it was given one image' : `it was given ${count} images`),
  atOnce: 'the question did not have to wait',
  waited: (time: string) => `the question waited ${time}`,
  firstWords: (time: string) => `the first words came after ${time}`,
  whole: (time: string, chars: number) => `the whole answer of ${chars} characters took ${time}`,
  calls: (count: number) => `it was written here in ${count} ${count === 1 ? 'step' : 'steps'}`,
  sourceCount: (count: number) =>
    count === 0 ? 'it came without sources' : `it drew on ${count} ${count === 1 ? 'source' : 'sources'}`,
  attempts: (count: number) => `it was taken up ${count} times`,
  troubles: (count: number) =>
    `something had to be tried again or left out ${count === 1 ? 'once' : `${count} times`}`,
  reference: (turn: TurnId) => `Reference ${turn.slice(0, REFERENCE_LENGTH)}`,
  noSources: 'The last answer here came without sources.',
  seesNoImages: catalogue['agent-sees-no-images'].tellUser,
  takesNoFiles: (name: string) => `"${name}" was not passed on: this agent can be given no files.`,
  fileNotPassed: (name: string) => `"${name}" was not passed on: only PNG, JPEG, GIF and WebP images can be.`,
  imageTooLarge: (name: string, mebibytes: number) =>
    `"${name}" was not passed on: images may have ${mebibytes} MiB at most.`,
  imageUnreadable: (name: string) => `"${name}" could not be opened and was not passed on.`,
  tooManyFiles: (limit: number) => `Only the first ${limit} files were passed on.`,
  documentTooLarge: (name: string, mebibytes: number) =>
    `"${name}" was not passed on: documents may have ${mebibytes} MiB at most.`,
  lookAtDocuments: (names: readonly string[]) =>
    `Please tell briefly what ${names.length === 1 ? 'this document is' : 'these documents are'} about: ${names.join(', ')}`,
  uploading: 'being uploaded',
  indexing: 'uploaded, being read',
  notUploaded: 'could not be uploaded',
  documentAdded: (name: string, workspace: string, known: boolean) =>
    known
      ? `"${name}" was in ${workspace} already.`
      : `"${name}" was put into ${workspace}. Say "undo" within ten minutes to take it back.`,
  documentLate: (name: string, state: 'indexing' | 'failed' | 'ready') =>
    state === 'failed'
      ? `"${name}" could not be read, so the answer was given without it.`
      : `"${name}" is still being read, so the answer was given without it. Ask again in a few minutes.`,
  documentRefused: (name: string, why: string) => `"${name}" was not passed on. ${why}`,
  nothingToUndo:
    'There is nothing to undo: documents can be taken back within ten minutes after they were shared.',
  notYoursToUndo: 'Only who shared the documents can take them back.',
  undone: (names: readonly string[]) => `Taken back: ${names.join(', ')}.`,
  tooManyImages: (limit: number) => `Only the first ${limit} images were passed on.`,
  withReference: (sentence: string, turn: TurnId) =>
    `${sentence} (Reference ${turn.slice(0, REFERENCE_LENGTH)})`,
} as const;

/**
 * Returns a source's readable title: its own, else a word for its kind with its number. The platform's ids are no
 * titles (platform contract CHL-18).
 */
export function sourceTitle({ title, kind }: Pick<Source, 'title' | 'kind'>, number: number): string {
  const own = title.trim();
  return own === '' ? words.unnamedSource[kind](number) : own;
}
