/** The app's home. Pure. */

import type { HomeView, KnownBlock } from '@slack/types';
import { type AgentCard, languages } from '../../../src/kit.ts';
import { isPrivate } from '../private.ts';
import { aside, button, header, home, option, ownLine, paragraph, plainText, select } from './blocks.ts';
import type { Preference } from './preferences.ts';
import type { RunningTurn } from './running.ts';
import { words } from './words.ts';

export const HOME_ASK = 'home:ask';
export const HOME_STOP = 'home:stop';
export const HOME_AGENT = 'home:agent';
export const HOME_LANGUAGE = 'home:language';
/** The option that takes a choice back; no agent and no language is called so. */
export const NONE = '-';

/** Shown of each; a home has 100 blocks. */
const AGENTS = 30;
const RUNNING = 10;
const DESCRIPTION_CHARS = 300;

export const isLanguage = (tag: string): boolean => languages.some(({ code }) => code === tag);

export interface HomeLook {
  readonly agents: readonly AgentCard[];
  readonly running: readonly RunningTurn[];
  readonly preference: Preference;
  readonly command: string;
  readonly name: string;
}

export function homeView(look: HomeLook): HomeView {
  return home([
    ...runningNow(look),
    ...agentList(look),
    ...settings(look),
    header(words.homeHelp),
    paragraph(words.help(look.command, look.name)),
  ]);
}

/** Only one sentence, where somebody may not use the app. */
export function homeNotice(sentence: string): HomeView {
  return home([paragraph(sentence)]);
}

function runningNow({ running }: HomeLook): KnownBlock[] {
  const shown = running.slice(0, RUNNING).flatMap(({ turn, agent }): KnownBlock[] => {
    const { room, kind } = turn.message.thread;
    const inRoom = kind === 'room' && !isPrivate(turn.message.thread) && /^[A-Z0-9]+$/.test(room);
    return [
      {
        type: 'section',
        text: plainText(agent ?? words.homeNoDefault, DESCRIPTION_CHARS),
        accessory: button('Stop', { id: `${HOME_STOP}:${turn.id}`, value: turn.id, style: 'danger' }),
      },
      ...(inRoom ? [ownLine(`<#${room}>`)] : []),
    ];
  });
  return [header(words.homeRunning), ...(shown.length === 0 ? [aside(words.homeNothingRuns)] : shown)];
}

function agentList({ agents }: HomeLook): KnownBlock[] {
  const shown = agents.slice(0, AGENTS).map(({ name, description }, at): KnownBlock => {
    const told = description.trim() === '' ? name : `${name}: ${description}`;
    const ask = button('Ask', { id: `${HOME_ASK}:${at}`, value: name });
    return { type: 'section', text: plainText(told, DESCRIPTION_CHARS), accessory: ask };
  });
  const more = agents.length - AGENTS;
  return [
    header(words.homeAgents),
    ...(agents.length === 0 ? [aside(words.homeNoAgents)] : shown),
    ...(more > 0 ? [aside(words.homeMoreAgents(more))] : []),
  ];
}

function settings({ agents, preference }: HomeLook): KnownBlock[] {
  const agentOptions = [option(words.homeNoDefault, NONE), ...agents.map(({ name }) => option(name, name))];
  const languageOptions = [
    option(words.homeNoLanguage, NONE),
    ...languages.map(({ code, own }) => option(own, code)),
  ];
  const agent = select(HOME_AGENT, agentOptions, {
    placeholder: words.homeNoDefault,
    initial: preference.agent ?? NONE,
  });
  const language = select(HOME_LANGUAGE, languageOptions, {
    placeholder: words.homeNoLanguage,
    initial: preference.language ?? NONE,
  });
  return [
    header(words.homeSettings),
    { type: 'section', text: plainText(words.homeDefault, DESCRIPTION_CHARS), accessory: agent },
    { type: 'section', text: plainText(words.homeLanguage, DESCRIPTION_CHARS), accessory: language },
  ];
}
