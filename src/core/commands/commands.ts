/** What people say to the bridge itself, and what each answers. */

import { findAgent, unknownAgent } from '../agents/routing.ts';
import { canonicalLanguage } from '../languages.ts';
import type { Source } from '../reply.ts';
import { words } from '../words.ts';
import type { CommandAnswer, CommandContext } from './context.ts';
import { listFiles, search, undo } from './library.ts';
import { type Command, commandList } from './reading.ts';
import { explain } from './receipt.ts';

/** Carries the command out. `stop` was carried out at intake: as a turn of its own it found nothing running. */
export async function runCommand(command: Command, context: CommandContext): Promise<CommandAnswer> {
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
      return command.query === undefined ? { text: words.whatToSearch } : search(command.query, context);
    case 'files':
      return { text: await listFiles(context) };
    case 'undo':
      return { text: await undo(context) };
    case 'why':
      return { text: explain(await context.lastAnswer()) };
    case 'sources':
      return showSources(await context.lastSources());
    case 'stop':
      return { text: words.nothingRuns };
  }
}

function help({ agent }: CommandContext): string {
  const left = agent.gateway.takesLanguage ? /^help\b/ : /^(?:help|language)\b/;
  const others = commandList.filter(({ say }) => !left.test(say));
  return [
    `Ask **${agent.name}** anything here; follow-up questions know what was said before. Or say`,
    '',
    ...others.map(({ say, to }) => `- ${spelled(say)} to ${to}`),
  ].join('\n');
}

/**
 * Placeholders are slanted capitals, which stay recognizable in plain text. Some clients show angle brackets in code as
 * entities.
 */
const spelled = (say: string): string =>
  say.replace(/^(\w+)/, '`$1`').replace(/<(\w+)>/, (_, name: string) => `*${name.toUpperCase()}*`);

function listAgents({ directory, agent, thread }: CommandContext): string {
  const lines = [...directory.agents.values()].map((each) => {
    const eyes = each.gateway.sees.images ? ` ${words.seesImages}` : '';
    const here = each.name === agent.name ? ' *(asked here)*' : '';
    return `- **${each.name}**${here}: ${sentence(each.description)}${eyes}`;
  });
  return [...lines, '', words.howToUse(words.where(thread))].join('\n');
}

const sentence = (text: string): string => (/[.!?…。！？]$/.test(text) ? text : `${text}.`);

function whoami({ person, account, own, agent }: CommandContext): string {
  const platform =
    account === undefined ? `with ${words.ownAccount}` : `as ${words.platformAccount(account)}`;
  const apart = own !== undefined && own !== account;
  return [
    `You are **${person.name}** (\`${person.id}\`). **${agent.name}** answers ${apart ? 'everyone here' : 'you'} ${platform}.`,
    ...(apart ? [`In private it answers you as **${own}**.`] : []),
  ].join(' ');
}

async function use(name: string, context: CommandContext): Promise<string> {
  const agent = findAgent(context.directory, name);
  if (agent === undefined) return unknownAgent(context.directory, name);
  await context.use(agent);
  return words.nowAsking(agent.name, words.where(context.thread));
}

/** Argument of the language command that resets the choice. */
const OWN = 'auto';

async function speak(said: string | undefined, context: CommandContext): Promise<string> {
  const { agent } = context;
  if (!agent.gateway.takesLanguage) return words.takesNoLanguage(agent.name);
  if (said === undefined) return languageOf(context, await context.language());
  const language = said.toLowerCase() === OWN ? undefined : canonicalLanguage(said);
  if (language === undefined && said.toLowerCase() !== OWN) return words.noLanguage(said);
  await context.speak(language);
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
