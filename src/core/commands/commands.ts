/** Runs the commands that people send to the bridge itself. */

import { asBridgeError } from '../../errors.ts';
import type { FoundSource, KnowledgeWorkspace, LibraryFile, RankingScore } from '../agents/library.ts';
import { findAgent, unknownAgent } from '../agents/routing.ts';
import { canonicalLanguage } from '../languages.ts';
import { withoutTurns } from '../names.ts';
import type { Source } from '../reply.ts';
import { actIn } from '../stores/audit.ts';
import { sourceTitle, words } from '../words.ts';
import type { CommandAnswer, CommandContext } from './context.ts';
import { link, unlink } from './link.ts';
import { type Command, commandList } from './reading.ts';
import { explain } from './receipt.ts';

/** Runs a command. `stop` is handled on arrival; a `stop` that gets here found nothing to stop. */
export async function runCommand(command: Command, context: CommandContext): Promise<CommandAnswer> {
  if (NAMES_AGENT.has(command.name) && !mayAsk(context)) return { text: withoutAgent(command, context) };
  switch (command.name) {
    case 'help':
      return { text: help(context) };
    case 'agents':
      return { text: listAgents(context) };
    case 'whoami':
      return { text: whoami(context) };
    case 'new':
      await context.forget();
      return { text: words.newConversation(context.agent.name) };
    case 'use':
      return { text: await use(command.agent, context) };
    case 'language':
      return { text: await speak(command.language, context) };
    case 'search':
      return searchIfAllowed(command.query, context);
    case 'files':
      return { text: refusalToSearch(context) ?? (await listFiles(context)) };
    case 'undo':
      return { text: await undo(context) };
    case 'why':
      return { text: explain(await context.lastAnswer()) };
    case 'sources':
      return showSources(await context.memory.lastSources(context.thread));
    case 'link':
      return { text: await link(command, context) };
    case 'unlink':
      return { text: await unlink(context) };
    case 'listen':
    case 'quiet':
      return { text: words.follows[command.name](context.thread) };
    case 'instead':
      return { text: words.nothingWaits };
    case 'stop':
      return { text: words.nothingRuns };
  }
}

function help(context: CommandContext): string {
  const { agent, links, thread } = context;
  const { library } = agent;
  const left = new Set(['help']);
  if (!agent.gateway.takesLanguage) left.add('language <code>');
  if (links === undefined) left.add('link').add('unlink');
  // In a direct message, every message is a question.
  if (thread.kind === 'direct') left.add('listen').add('quiet');
  if (library === undefined) left.add('search <query>').add('files').add('undo');
  const others = commandList.filter(({ say }) => !left.has(say));
  return [
    `${mayAsk(context) ? words.askAnything(agent.name) : withoutAgent({ name: 'help' }, context)} You can also send`,
    '',
    ...others.map(({ say, to }) => `- ${spelled(say)} to ${to}`),
    ...(library === undefined ? ['', words.noDocuments] : []),
  ].join('\n');
}

/**
 * Formats a command for help: placeholders become italic capitals instead of angle brackets. Reason: capitals stay
 * recognizable in plain text, but some clients show angle brackets in code as entities.
 */
const spelled = (say: string): string =>
  say.replace(/^(\w+)/, '`$1`').replace(/<(\w+)>/, (_, name: string) => `*${name.toUpperCase()}*`);

/** Commands that concern the agent of the conversation and name it. */
const NAMES_AGENT: ReadonlySet<Command['name']> = new Set(['whoami', 'new', 'language']);

const mayAsk = ({ permissions, person, thread, agent }: CommandContext): boolean =>
  permissions.agents(person, thread).includes(agent.name);

/** Returns the answer to a person who may not ask the agent of the conversation. Names only agents they may ask. */
function withoutAgent({ name }: Command, { permissions, person, thread }: CommandContext): string {
  const others = permissions.agents(person, thread);
  return [...(name === 'whoami' ? [whois(person)] : []), words.notYourAgent(others)].join(' ');
}

const whois = ({ name, id }: CommandContext['person']): string => `You are **${quoted(name)}** (\`${id}\`).`;

function listAgents({ directory, agent, thread, permissions, person }: CommandContext): string {
  const allowed = permissions.agents(person, thread);
  const usable = [...directory.agents.values()].filter(({ name }) => allowed.includes(name));
  const lines = usable.map((each) => {
    const eyes = each.gateway.sees.images ? ` ${words.seesImages}` : '';
    const here = each.name === agent.name ? ' *(answers here)*' : '';
    return `- **${each.name}**${here}: ${sentence(each.description)}${eyes}`;
  });
  return [...lines, '', words.howToUse(words.where(thread))].join('\n');
}

const sentence = (text: string): string => (/[.!?…。！？]$/.test(text) ? text : `${text}.`);

function whoami({ person, account, own, agent, asAsker }: CommandContext): string {
  const platform =
    account === undefined
      ? `with ${asAsker ? words.signIn.later : words.ownAccount}`
      : `as ${words.platformAccount(account)}`;
  const apart = own !== undefined && own !== account;
  return [
    `${whois(person)} **${agent.name}** answers ${apart ? 'everyone here' : 'you'} ${platform}.`,
    ...(apart ? [`In private it answers you as **${own}**.`] : []),
  ].join(' ');
}

async function use(name: string, context: CommandContext): Promise<string> {
  const agent = findAgent(context.directory, name);
  if (agent === undefined)
    return unknownAgent(context.permissions.agents(context.person, context.thread), name);
  const { memory, thread, person, permissions } = context;
  const refusal = permissions.refusal(person, 'ask', { ...thread, agent: agent.name });
  if (refusal !== undefined) return refusal;
  await memory.chooseAgent(thread, agent.name, person.id);
  return words.nowAsking(agent.name, words.where(thread));
}

/** Argument of the language command that resets the choice. */
const RESET = 'auto';

async function speak(argument: string | undefined, context: CommandContext): Promise<string> {
  const { agent, memory, thread } = context;
  if (!agent.gateway.takesLanguage) return words.takesNoLanguage(agent.name);
  if (argument === undefined) return languageOf(context, await memory.language(thread));
  const language = argument.toLowerCase() === RESET ? undefined : canonicalLanguage(argument);
  if (language === undefined && argument.toLowerCase() !== RESET) return words.noLanguage(argument);
  await memory.speak(thread, language);
  return languageOf(context, language);
}

function languageOf({ agent, thread }: CommandContext, language: string | undefined): string {
  const where = words.where(thread);
  return language === undefined
    ? words.ownLanguage(agent.name, where)
    : words.languageIs(agent.name, language, where);
}

function showSources(sources: readonly Source[]): CommandAnswer {
  if (sources.length === 0) return { text: words.noSources };
  return { text: words.lastSources(sources.length), sources };
}

/** Maximum number of listed files. */
const FILES = 20;
/** Maximum length of a passage in a search result, in UTF-16 units. */
const PASSAGE_CHARS = 240;
/** A line break that every channel shows, followed by the indent of a list entry. */
const LINE_BREAK = '\\\n   ';
/** Maximum length of a passage's Markdown that is converted to plain text, in UTF-16 units. */
const READ_CHARS = 2_000;
const SCORE_DIGITS = 3;

const refusalToSearch = ({ permissions, person, thread }: CommandContext): string | undefined =>
  permissions.refusal(person, 'search', thread);

async function searchIfAllowed(query: string | undefined, context: CommandContext): Promise<CommandAnswer> {
  const refusal = refusalToSearch(context);
  if (refusal !== undefined) return { text: refusal };
  return query === undefined ? { text: words.whatToSearch } : search(query, context);
}

async function search(query: string, context: CommandContext): Promise<CommandAnswer> {
  const { workspace, account, signal } = context;
  const { library } = context.agent;
  if (library === undefined) return { text: words.noLibrary };
  const where = workspace === undefined ? {} : { workspace };
  const found = await library.search(query, where, { account, signal });
  if (found.length === 0) return { text: words.nothingFound(quoted(query)) };
  const sources = found.map(({ source }, at): Source => ({ ...source, mark: at + 1 }));
  const best = Math.max(...found.map(({ score }) => score?.value ?? 0));
  const lines = found.map((each, at) => lineOfFound(each, at + 1, best));
  return { text: [words.found(quoted(query)), '', ...lines].join('\n'), sources };
}

/** Formats a search result: title, passage, and a line with the link and the score. */
function lineOfFound({ source, score }: FoundSource, number: number, best: number): string {
  const passage = quoted(beginning(plainPassage(source.fragments[0]?.text ?? '')));
  const { link } = source;
  const last = [
    ...(link === undefined ? [] : [`[${words.openSource}](<${addressOf(link)}>)`]),
    ...(score === undefined ? [] : [scoreWords(score, best)]),
  ].join(' · ');
  const lines = [`**${quoted(sourceTitle(source, number))}** [${number}]`, passage, last];
  return `${number}. ${lines.filter((line) => line !== '').join(LINE_BREAK)}`;
}

/** Formats a score. A rank score is shown relative to the best result, because the number alone means little. */
function scoreWords({ kind, value }: RankingScore, best: number): string {
  if (kind === 'relevance') return words.relevance(percent(value));
  if (value === best || best <= 0) return words.bestScore(digits(value));
  return words.score(digits(value), percent(value / best));
}

const percent = (share: number): number => Math.round(share * 100);

/** Removes Markdown characters, because the passage is shortened to one line in which they would be visible. */
function plainPassage(markdown: string): string {
  return withoutTurns(markdown)
    .slice(0, READ_CHARS)
    .replace(/^[ \t]*(?:```|~~~).*$/gm, '')
    .replace(/^[ \t]*\|[|: -]+\|[ \t]*$/gm, '')
    .replace(/^[ \t]*(?:#{1,6}|[-*+>])[ \t]+/gm, '')
    .replace(/!?\[([^\][\n]{0,200})\]\([^()\n]{0,500}\)/g, '$1')
    .replace(/\*\*([^*\n]{1,200})\*\*/g, '$1')
    .replace(/^\|(.*)\|$/gm, (_, cells: string) => cells.replaceAll('|', ' · '))
    .trim();
}

const addressOf = (link: string): string => link.replace(/[<>\s]/g, encodeURIComponent);

/** Keeps three significant digits, because scores of a rank fusion differ only in the third digit. */
const digits = (score: number): string => String(Number(score.toPrecision(SCORE_DIGITS)));

function beginning(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= PASSAGE_CHARS ? line : `${line.slice(0, PASSAGE_CHARS).toWellFormed()}…`;
}

async function listFiles({ agent, workspace, account, signal }: CommandContext): Promise<string> {
  const { library } = agent;
  const call = { account, signal };
  if (library === undefined) return words.noLibrary;
  if (workspace === undefined) return listWorkspaces(await library.workspaces(call));
  const { files, total } = await library.files(workspace, FILES, call);
  if (total === 0) return words.noFiles(quoted(workspace));
  const more = total > files.length ? ['', words.moreFiles(total - files.length)] : [];
  return [words.filesOf(quoted(workspace)), '', ...files.map(lineOf), ...more].join('\n');
}

/**
 * Deletes the documents that were added last in the thread, if this bridge uploaded them within the last ten minutes.
 * Only the person who added them and administrators may do that.
 */
async function undo({
  directory,
  person,
  signal,
  thread,
  memory,
  permissions,
  noteAct,
}: CommandContext): Promise<string> {
  const last = await memory.lastUploads(thread);
  const { library } = [...directory.agents.values()].find((each) => each.platform === last?.platform) ?? {};
  if (library === undefined || last === undefined) return words.nothingToUndo;
  const isAllowed = last.by === person.id || permissions.decide(person, 'administer', thread).allowed;
  const note = (outcome: string) =>
    noteAct({
      ...actIn(thread, person),
      action: 'administer',
      outcome,
      files: last.uploads.length,
      detail: `undo ${last.uploads.map(({ id }) => id).join(' ')}`,
    });
  if (!isAllowed) {
    await note('refused');
    return words.notYoursToUndo;
  }
  const call = { signal, account: last.account };
  const names = last.uploads.map(({ name }) => quoted(name));
  for (const [at, { id, workspace }] of last.uploads.entries()) {
    try {
      await library.remove(id, workspace, call);
    } catch (thrown) {
      signal.throwIfAborted();
      const { code, said, tellUser } = asBridgeError(thrown);
      await memory.keepUploads(thread, { ...last, uploads: last.uploads.slice(at) });
      await note(code === 'platform-unconfirmed' ? 'unconfirmed' : 'refused');
      const left = words.notUndone(names.slice(at), said === undefined ? tellUser : words.said(said));
      return at === 0 ? left : `${words.undone(names.slice(0, at))} ${left}`;
    }
  }
  await memory.forgetUploads(thread);
  if (last.by !== person.id) await note('done');
  return words.undone(names);
}

function lineOf({ name, state, link }: LibraryFile): string {
  const label = link === undefined ? quoted(name) : `[${quoted(name)}](<${link}>)`;
  return `- ${label}${state === 'ready' ? '' : ` *(${words.fileStates[state]})*`}`;
}

function listWorkspaces(all: readonly KnowledgeWorkspace[]): string {
  if (all.length === 0) return words.noWorkspaces;
  const lines = all.map(({ name, files }) =>
    files === undefined ? `- ${quoted(name)}` : `- ${quoted(name)}: ${words.fileCount(files)}`,
  );
  return [words.workspaces, '', ...lines].join('\n');
}

/** Escapes names and queries, so that they are not formatted as Markdown. */
function quoted(text: string): string {
  return text
    .trim()
    .replace(/\s+/g, ' ')
    .replace(/[\\`*_{}[\]<>#!|~&@:]|^[+-]/g, '\\$&');
}
