/** Parley's own sentences for people. Each is short and kind: what happened, what is kept, what to do next. */

import { catalogue, PRESS_RETRY } from '../errors.ts';
import { accountTitle } from './asker.ts';
import type { TurnId } from './ids.ts';
import { languageName, languages } from './languages.ts';
import type { ThreadRef } from './message.ts';
import { visibleLine } from './names.ts';
import type { Source } from './reply.ts';

/** Length of the part of a turn's id that people see; enough to find the turn in the log. */
const REFERENCE_LENGTH = 8;

const knownLanguages = languages.map(({ name, code }) => `${name} (\`${code}\`)`).join(', ');

/** Removes characters that format text, so that a name cannot change the sentence around it. */
const plain = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Default_Ignorable_Code_Point}]|[\\`*_~<>[\]()@#|]/gu, '')
    .slice(0, 80)
    .toWellFormed();

const countedFor = { person: 'each person', room: 'each room', agent: 'this agent' };

const limitWords = (questions: number, every: string): string =>
  `${questions} ${questions === 1 ? 'question' : 'questions'} ${every === 'hour' ? 'an' : 'a'} ${every}`;

const MINUTE_MS = 60_000;
const HOUR_MINUTES = 60;

/** Returns a time in words, rounded up, such as "12 minutes". */
function roughTime(ms: number): string {
  const minutes = Math.max(1, Math.ceil(ms / MINUTE_MS));
  if (minutes <= HOUR_MINUTES) return minutes === 1 ? 'a minute' : `${minutes} minutes`;
  return `${Math.ceil(minutes / HOUR_MINUTES)} hours`;
}

const canAsk = (agents: readonly string[]): string =>
  agents.length === 0 ? '' : ` You can ask: ${agents.join(', ')}.`;

export const words = {
  stopped: 'Stopped. The text so far is kept.',
  stoppedBeforeText: 'Stopped before the agent answered.',
  guests:
    'Guests and people from other organizations cannot use this here. The operator of the bridge can allow it.',
  bots: 'Other bots cannot use this here. The operator of the bridge can allow it.',
  mayNot: {
    ask: 'You are not allowed to ask agents here. The operator of the bridge can allow it.',
    'save-files': 'You are not allowed to save documents here. The operator of the bridge can allow it.',
    search: 'You are not allowed to search the documents here. The operator of the bridge can allow it.',
    share: 'You are not allowed to share answers here. The operator of the bridge can allow it.',
    correct: 'You are not allowed to correct answers here. The operator of the bridge can allow it.',
    'make-rooms': 'You are not allowed to make rooms. The operator of the bridge can allow it.',
    administer: 'You are not allowed to administer the bridge here. The operator of the bridge can allow it.',
    operate: 'You are not allowed to see the figures of the bridge. The operator of the bridge can allow it.',
  },
  quotaReached: (
    {
      per,
      questions,
      every,
    }: { readonly per: 'person' | 'room' | 'agent'; readonly questions: number; readonly every: string },
    waitMs: number,
  ) =>
    `The limit is ${limitWords(questions, every)} for ${countedFor[per]}. Please ask again in ${roughTime(waitMs)}.`,
  tooManyQuestions: (perMinute: number) =>
    `The limit is ${limitWords(perMinute, 'minute')} for each person. Please wait a minute and ask again.`,
  tooManyCommands: (perMinute: number) =>
    `The limit is ${perMinute} commands a minute for each person. Please wait a minute and try again.`,
  mayNotAsk: (agent: string, others: readonly string[]) =>
    `You are not allowed to ask the agent ${agent} here. You can ask: ${others.join(', ')}.`,
  askAnything: (agent: string) =>
    `Ask **${agent}** anything here; follow-up questions continue the conversation.`,
  notYourAgent: (others: readonly string[]) =>
    `You are not allowed to ask the agent of this conversation.${canAsk(others)}`,
  whoAreYou: 'I could not look up who you are just now. Please try again in a minute.',
  mayNotPress: (agent = 'of this answer') =>
    `You cannot act on this answer, because you are not allowed to ask the agent ${agent} here.`,
  notSaved: (name: string) =>
    `"${name}" was not sent to the agent, because you are not allowed to save documents here. The operator of the bridge can allow it.`,
  unmapped:
    'I do not know your account on the agent platform, so I cannot ask for you. The operator of the bridge can add it.',
  unmappedCanLink:
    'I do not know your account on the agent platform, so I cannot ask for you. Send `link` to me in a private message to connect it.',
  /** About the sign-in of a person whose own token an agent uses. */
  signIn: {
    waiting: 'I am confirming who you are, so that the agent answers you with your own rights.',
    failed: `I could not confirm who you are, so I did not ask the agent. ${PRESS_RETRY} If that does not help, please tell the operator of the bridge.`,
    inPersonalChat:
      'To answer you with your own rights, I must first confirm who you are. Ask me something in our personal chat, then try again here.',
    notHere:
      'This agent answers each person with their own rights, which is not possible here. Please ask in a private chat in which I can confirm who you are.',
    askFirst:
      'I can no longer confirm who you are, so nothing was stored. Please ask me something in this chat, then press the button again.',
    later: 'your own rights, once I have confirmed who you are',
  },
  /** Answers of the commands `link` and `unlink`. */
  linking: {
    off: 'You cannot connect an account here. The operator of the bridge can allow it.',
    notYou: 'People from other organizations and bots cannot connect an account here.',
    inPrivate: 'Send `link` to me in a private message, so that only you see the code.',
    hasAccount: (account: string) => `You already have the account **${account}** on the agent platform.`,
    hasAccountThere: (title: string, account: string) =>
      `In ${title}, you already have the account ${account}, which the operator of the bridge assigned to you. Nothing was connected.`,
    needsAccount:
      'In this chat, I do not know your account on the agent platform, so you cannot confirm a code here. Confirm it in a chat where I know your account, such as the web console.',
    code: (code: string, page?: string) =>
      page === undefined
        ? `To connect your account, go within 10 minutes to a chat where I already know you, such as the web console after signing in. There, send me this in a private message:\n\n\`link ${code}\`\n\nDo not give the code to other people.`
        : `To connect your account, [open this page](${page}) within 10 minutes, sign in, and confirm.\n\nIn a chat where I already know you, you can also send me this in a private message:\n\n\`link ${code}\`\n\nDo not give the link or the code to other people.`,
    confirm: (
      { name, person, title }: { readonly name: string; readonly person: string; readonly title: string },
      account: string,
      code: string,
    ) =>
      `**${plain(name)}** (\`${plain(person)}\` in ${plain(title)}) wants to ask with your account **${account}**, and will see everything that you may see. If this is you, send \`link ${code.toUpperCase()} confirm\`. If somebody gave you this code, ignore it.`,
    done: (
      { name, title }: { readonly name: string; readonly title: string },
      account: string,
      days: number,
    ) =>
      `**${plain(name)}** in ${plain(title)} is now connected to the account **${account}** for ${days === 1 ? 'a day' : `${days} days`}. Send \`unlink\` there to end this.`,
    wrong:
      'This code does not work. It may be mistyped, used or older than 10 minutes. Send `link` again for a new one.',
    blocked: 'You sent several codes that do not work. Please wait 10 minutes.',
    sameWorkspace: 'This code belongs to another person in this workspace, so you cannot confirm it.',
    taken:
      'This account is already connected to another person in that workspace. That person can send `unlink` to disconnect it.',
    unchecked: (code: string) =>
      `I could not check your account on the agent platform, so nothing was connected. Please try again in a minute. (${code})`,
    ended: 'You are no longer connected to an account.',
    nothing: 'You are not connected to an account.',
  },
  accountRefused:
    'The agent platform no longer accepts your account, so I did not ask the agent. Please tell the administrator of the agent platform.',
  lockedOut:
    'The answer was interrupted because your account on the agent platform is no longer accepted. The text so far is kept. Please tell the administrator of the agent platform.',
  lockedOutBeforeText:
    'Your account on the agent platform is no longer accepted, so I did not wait for the answer. Please tell the administrator of the agent platform.',
  notAccepted:
    'The answer was interrupted because your sign-in has ended. The text so far is kept. Please sign in again, or tell your administrator if you cannot.',
  notAcceptedBeforeText:
    'Your sign-in has ended, so this question is not answered. Please sign in again, or tell your administrator if you cannot.',
  brokeOff: (why: string) =>
    `The answer was interrupted because ${why}. The text so far is kept. ${PRESS_RETRY}`,
  platformDown:
    'The agent platform cannot be reached at the moment. Your question is kept and will be answered when the platform is back.',
  sandboxAnswers:
    'This answer comes from the sandbox, a demonstration platform, because no agent platform is configured.',
  askedAnew: 'The question was edited. Asking again…',
  remarks: {
    'context-lost': 'The agent lost the earlier conversation and answered without it.',
    'answer-cut': 'The answer is too long to show here in full, so its end was cut off.',
    'end-unmarked': 'This answer may be incomplete: the platform did not mark its end.',
    'data-left-out': 'The agent wrote a picture or file into its text as data. Only its name is shown.',
  },
  /** The two choices at the platform's prompt about personal data, and the text that replaces removed data. */
  personalData: {
    send: 'Send it anyway',
    without: 'Ask without it',
    removed: '[removed]',
  },
  notRemembered: 'This conversation could not be saved. The agent may not remember it when you ask again.',
  lookAtImage: 'Please describe what the attached image shows.',
  sayWhatItIsAbout: 'Please say what this message is about.',
  newConversation: (agent: string) => `A new conversation with **${agent}** starts here.`,
  /**
   * Returns where a choice applies: in the direct message, in one thread, or in a group chat, which has no threads.
   */
  where: ({ kind, room, key }: Pick<ThreadRef, 'kind' | 'room' | 'key'>) =>
    kind === 'direct' ? 'here' : room === key ? 'in this chat' : 'in this thread',
  follows: {
    listen: ({ kind }: Pick<ThreadRef, 'kind'>) =>
      kind === 'direct'
        ? 'I take every message here as a question already.'
        : 'From now on, I take every message that I receive in this thread as a question, unless it begins by mentioning somebody else. Send `quiet` to end this.',
    quiet: ({ kind }: Pick<ThreadRef, 'kind'>) =>
      kind === 'direct'
        ? 'I take every message here as a question. Write in a room if you do not want an answer.'
        : 'From now on, I answer in this thread only if you mention me. Mention me with `listen` to change this.',
  },
  nowAsking: (agent: string, where: string) => `From now on **${agent}** answers ${where}.`,
  unknownAgent: (
    name: string,
    { known, near }: { readonly known: readonly string[]; readonly near: string | undefined },
  ) =>
    `There is no agent called "${name}" here.${near === undefined ? '' : ` Did you mean "${near}"?`}${canAsk(known)}`,
  howToUse: (where: string) => `Send \`use\` followed by an agent's name to choose who answers ${where}.`,
  notRepeatableYet: 'The end of this answer is not stored yet. Please press again in a few seconds.',
  notRepeatable: 'This answer can no longer be regenerated. Please ask the question again.',
  versionGone: 'That version is no longer kept. Earlier versions of an answer are kept for 24 hours.',
  versionBeingWritten: 'A new version is being written. You can open the other versions when it is finished.',
  nothingWaits: 'No question of yours waits here behind a running answer.',
  notYourQuestion: 'Only the person who asked this question can ask it instead. Nothing was changed.',
  nothingRuns: 'No answer is running here.',
  lastSources: (count: number) => `The last answer here used ${count} ${count === 1 ? 'source' : 'sources'}.`,
  languageIs: (agent: string, language: string, where: string) =>
    `**${agent}** is asked to answer in ${languageName(language)} (\`${language}\`) ${where}. Documents and quotations keep their own language. Send \`language auto\` to let the agent choose.`,
  ownLanguage: (agent: string, where: string) =>
    `**${agent}** chooses the language of its answers. For example, send \`language de\` to ask for German ${where}.`,
  takesNoLanguage: (agent: string) =>
    `**${agent}** has no language setting. Ask in the language that you want, or name it in your question.`,
  noLanguage: (tag: string) =>
    `"${tag}" is not a language that I know. Send \`language\` with a code: ${knownLanguages}, or the code of another language.`,
  noLibrary:
    'I cannot search the documents here. The operator of the bridge can allow it by setting `platform.credentials.open`.',
  noDocuments:
    'Searching, listing, adding and removing documents is not possible here. The operator of the bridge can allow it by setting `platform.credentials.open`.',
  whatToSearch: 'Send `search` followed by what you are looking for, such as `search opening hours`.',
  nothingFound: (query: string) => `No passages were found for "${query}".`,
  openSource: 'Open',
  relevance: (percent: number) => `relevance ${percent} %`,
  bestScore: (score: string) => `score ${score} (best result)`,
  score: (score: string, percent: number) => `score ${score} (${percent} % of the best result)`,
  found: (query: string) => `Passages for "${query}", best match first:`,
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
  fileStates: { indexing: 'being indexed', failed: 'could not be indexed', ready: 'ready' },
  noWorkspaces: 'No knowledge workspaces are visible here.',
  workspaces: 'Knowledge workspaces that are visible here:',
  fileCount: (count: number) => (count === 0 ? 'no files yet' : count === 1 ? 'one file' : `${count} files`),
  noAnswerYet: 'There is no answer here yet.',
  receiptGone: 'The timeline of the last answer is no longer kept. Timelines are kept for 24 hours.',
  receiptOf: 'How the last answer was made:',
  seesImages: 'Accepts images.',
  ownAccount: 'the agent’s own account',
  askersAccount: 'the platform account of the person who asks',
  platformAccount: (account: string) => `the platform account **${accountTitle(account)}**`,
  answeredBy: (agent: string, account: string) => `**${agent}** answered, using ${account}`,
  wentOn: 'it continued the same conversation',
  beganAnew: 'it started a new conversation',
  sawImages: (count: number) => (count === 1 ? 'it received one image' : `it received ${count} images`),
  atOnce: 'the question did not have to wait',
  waited: (time: string) => `the question waited ${time}`,
  firstWords: (time: string) => `the first words came after ${time}`,
  whole: (time: string, chars: number) => `the whole answer of ${chars} characters took ${time}`,
  calls: (count: number) => `it was shown here in ${count} ${count === 1 ? 'update' : 'updates'}`,
  sourceCount: (count: number) =>
    count === 0 ? 'it has no sources' : `it used ${count} ${count === 1 ? 'source' : 'sources'}`,
  attempts: (count: number) => `it took ${count} attempts`,
  troubles: (count: number) =>
    count === 1
      ? 'one step had a problem and was retried or skipped'
      : `${count} steps had a problem and were retried or skipped`,
  reference: (turn: TurnId) => `Reference ${turn.slice(0, REFERENCE_LENGTH)}`,
  noSources: 'The last answer here has no sources.',
  seesNoImages: catalogue['agent-sees-no-images'].tellUser,
  takesNoFiles: (name: string) => `"${name}" was not sent to the agent: this agent accepts no files.`,
  fileNotPassed: (name: string) =>
    `"${name}" was not sent to the agent: only text files and PNG, JPEG, GIF and WebP images are accepted.`,
  imageTooLarge: (name: string, mebibytes: number) =>
    `"${name}" was not sent to the agent: the limit for images is ${mebibytes} MiB.`,
  notIncluded: (names: readonly string[]) => `The agent does not get ${names.join(', ')}.`,
  restOf: (name: string) => `the rest of the file ${name}`,
  nothingToAsk: 'Your message contains nothing else, so the agent was not asked. Please write your question.',
  imageUnreadable: (name: string) => `"${name}" could not be opened and was not sent to the agent.`,
  tooManyFiles: (limit: number) => `Only the first ${limit} files were sent to the agent.`,
  documentTooLarge: (name: string, mebibytes: number) =>
    `"${name}" was not sent to the agent: the limit for documents is ${mebibytes} MiB.`,
  lookAtDocuments: (names: readonly string[]) =>
    `Please describe briefly what ${names.length === 1 ? 'this document is' : 'these documents are'} about: ${names.join(', ')}`,
  uploading: 'being uploaded',
  indexing: 'uploaded, being indexed',
  notUploaded: 'could not be uploaded',
  documentAdded: (name: string, workspace: string, known: boolean) =>
    known
      ? `"${name}" is already in ${workspace}.`
      : `"${name}" was added to ${workspace}. Send "undo" within ten minutes to remove it.`,
  documentLate: (name: string, state: 'indexing' | 'failed' | 'ready') =>
    state === 'failed'
      ? `"${name}" could not be indexed, so the agent answered without it.`
      : `"${name}" is still being indexed, so the agent answered without it. Ask again in a few minutes.`,
  documentRefused: (name: string, why: string) => `"${name}" was not sent to the agent. ${why}`,
  nothingToUndo:
    'There is nothing to undo. Documents can be removed within ten minutes after they were added.',
  notYoursToUndo: 'Only the person who added the documents, or an administrator, can remove them.',
  undone: (names: readonly string[]) => `Removed: ${names.join(', ')}.`,
  notUndone: (names: readonly string[], why: string) =>
    `Not removed, as far as I know: ${names.join(', ')}. ${why}`,
  said: (text: string) => `The agent platform said: "${text}"`,
  tooManyImages: (limit: number) => `Only the first ${limit} images were sent to the agent.`,
  withReference: (sentence: string, turn: TurnId) =>
    `${sentence} (Reference ${turn.slice(0, REFERENCE_LENGTH)})`,
} as const;

/**
 * Returns the title of a source, or its kind with its number if it has no title. Ids of the platform are not shown as
 * titles (platform contract CHL-18).
 * @param number place of the source in the list, counted from 1
 * @example
 * ```ts
 * sourceTitle({ title: 'Handbook', kind: 'document' }, 1); // 'Handbook'
 * sourceTitle({ title: '', kind: 'document' }, 2); // 'Document 2'
 * ```
 */
export function sourceTitle({ title, kind }: Pick<Source, 'title' | 'kind'>, number: number): string {
  const own = visibleLine(title);
  return own === '' ? words.unnamedSource[kind](number) : own;
}
