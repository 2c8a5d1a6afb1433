/** Each person's app home: rendered again when they open or change it, or when one of their turns begins or ends. */

import type { HomeView, KnownBlock } from '@slack/types';
import { agentName, createCache, type Keyed, languages } from '../../../src/kit/ladder.ts';
import { type Clock, defined, press, type Turn } from '../../../src/kit.ts';
import type { Workspace, Workspaces } from '../api/workspace.ts';
import { isPrivate } from '../private-places.ts';
import type { SlackAction } from '../receive/events.ts';
import { aside, button, header, home, option, ownLine, paragraph, select } from '../render/blocks.ts';
import { plainTextElement } from '../render/escape.ts';
import { formFor } from './ask-form.ts';
import { type Admitted, admit, type Interaction, type InteractionDeps } from './deps.ts';
import { replyPress } from './replies.ts';
import { inWorkspace, openView, tell } from './tell.ts';
import { words } from './words.ts';

const HOME_ASK = 'home:ask';
const HOME_STOP = 'home:stop';
const HOME_AGENT = 'home:agent';
const HOME_LANGUAGE = 'home:language';
/** The option that clears a choice; no agent or language has this name. */
const NONE = '-';

/**
 * Maximum agents and maximum running answers in a home, which keep it below Slack's 100 blocks; and maximum characters
 * of an agent's description.
 */
const AGENTS = 30;
const RUNNING = 10;
const DESCRIPTION_CHARS = 300;

/** Time after which a home is no longer updated automatically, in milliseconds since the person last opened it. */
const OPEN_MS = 10 * 60_000;
/**
 * Maximum number of homes that are about to be updated, and the minimum time between two updates of one home, in
 * milliseconds.
 */
const MAX_UPDATES = 1_000;
const GAP_MS = 3_000;

/** Publishes the person's home with the current data. */
export async function showHome(interaction: Interaction): Promise<void> {
  const { by, workspace, deps } = interaction;
  const admission = await admit(interaction);
  const view =
    admission.kind === 'refused'
      ? home([paragraph(admission.sentence)])
      : homeView(await renderContextOf(interaction));
  await deps.calls.call(workspace, 'views.publish', { user_id: by.user, view: inWorkspace(view, workspace) });
}

async function renderContextOf({ by, workspace: { tenant }, deps }: Interaction) {
  const { name, command } = deps.settings;
  return {
    name,
    command,
    agents: deps.host.agents(),
    running: await runningOf(by.user, tenant, deps),
    preference: await deps.preferences.of(tenant, by.user),
  };
}

/** Resolves with the person's running turns, whichever process runs them. */
async function runningOf(user: string, tenant: string, { host }: InteractionDeps): Promise<readonly Turn[]> {
  return (await host.running(tenant)).filter(({ message }) => message.sender.id === user);
}

/** Handles a press in the home. */
export async function pressHome(interaction: Interaction, action: SlackAction): Promise<void> {
  const [place, what] = action.id.split(':', 2);
  const id = `${place}:${what}`;
  if (id === HOME_ASK) {
    return openView(interaction, 'Ask an agent', () => formFor(interaction, action.value));
  }
  const admission = await admit(interaction);
  if (id === HOME_STOP) await stopFromHome(interaction, action.value);
  else if (admission.kind === 'admitted' && (id === HOME_AGENT || id === HOME_LANGUAGE))
    await choose(admission, id, action.value);
  await showHome(interaction);
}

/** Stops the turn if it still runs and the person asked it. The home may be out of date, so the turn may have ended. */
async function stopFromHome(interaction: Interaction, id: string): Promise<void> {
  const { deps, workspace, by } = interaction;
  const found = (await runningOf(by.user, workspace.tenant, deps)).find((turn) => turn.id === id);
  if (found === undefined) return;
  const { thread, id: question } = found.message;
  const reply = { ...thread, turn: found.id, question };
  const stop = replyPress(interaction, { reply, detail: '' }, { action: 'stop' });
  const { kind, sentence } = await press(stop.press, stop.context);
  if (kind === 'refused') await tell(interaction, sentence);
}

async function choose(interaction: Admitted, what: string, value: string): Promise<void> {
  const { deps, workspace, person } = interaction;
  const { agent, language } = await deps.preferences.of(workspace.tenant, person.id);
  const offered =
    what === HOME_AGENT ? deps.host.agents().map(({ name }) => name) : languages.map(({ code }) => code);
  if (value !== NONE && !offered.some((each) => each === value)) return;
  const wanted = value === NONE ? undefined : value;
  const chosen =
    what === HOME_AGENT
      ? { agent: wanted === undefined ? undefined : agentName(wanted), language }
      : { agent, language: wanted };
  await deps.preferences.set(workspace.tenant, person.id, defined(chosen));
}

/**
 * Homes opened in the last ten minutes. People may still see them, so they are updated. They are stored, because the
 * process that receives the event of the opening may not be the one that runs the person's turns.
 */
export function createOpenHomes(workspaces: Pick<Workspaces, 'ofTenant'>, state: Keyed, clock: Clock) {
  const keyOf = (tenant: string, user: string) => `open home ${tenant} ${user}`;
  /** Homes that are about to be updated. */
  const due = createCache<true>({ clock, max: MAX_UPDATES, ttlMs: 2 * GAP_MS });
  const isOpen = async (key: string): Promise<boolean> => {
    const openedAt = await state.get(key);
    // After the clock was set back (fault F33), `openedAt` may be far in the future. The home then counts as closed.
    return typeof openedAt === 'number' && Math.abs(clock.now() - openedAt) < OPEN_MS;
  };
  return {
    opened: ({ tenant }: Workspace, user: string): Promise<void> =>
      state.set(keyOf(tenant, user), clock.now(), OPEN_MS, { tenant, person: user }),
    /**
     * Updates the person's home if it was opened in the last ten minutes. Called when one of the person's turns has
     * begun or ended.
     */
    changed(tenant: string, user: string, deps: InteractionDeps): void {
      const key = keyOf(tenant, user);
      if (due.has(key)) return;
      due.set(key, true);
      deps.background.run("a person's home", async () => {
        const opened = await isOpen(key);
        if (opened) await clock.wait(GAP_MS, deps.signal).catch(() => undefined);
        due.delete(key);
        const workspace = opened ? await workspaces.ofTenant(tenant) : undefined;
        if (workspace !== undefined && !deps.signal.aborted)
          await showHome({ by: { user }, workspace, deps });
      });
    },
  };
}

type HomeLook = Awaited<ReturnType<typeof renderContextOf>>;

export function homeView(look: HomeLook): HomeView {
  return home([
    ...runningNow(look),
    ...agentList(look),
    ...settings(look),
    header(words.homeHelp),
    paragraph(words.help(look.command, look.name)),
  ]);
}

function runningNow({ running }: HomeLook): KnownBlock[] {
  const rows = running.slice(0, RUNNING).flatMap(({ id, agent, message: { thread } }): KnownBlock[] => {
    const { room, kind } = thread;
    const inRoom = kind === 'room' && !isPrivate(thread) && /^[A-Z0-9]+$/.test(room);
    return [
      {
        type: 'section',
        text: plainTextElement(agent ?? words.homeNoDefault, DESCRIPTION_CHARS),
        accessory: button('Stop', { id: `${HOME_STOP}:${id}`, value: id, style: 'danger' }),
      },
      ...(inRoom ? [ownLine(`<#${room}>`)] : []),
    ];
  });
  return [header(words.homeRunning), ...(rows.length === 0 ? [aside(words.homeNothingRuns)] : rows)];
}

function agentList({ agents }: HomeLook): KnownBlock[] {
  const rows = agents.slice(0, AGENTS).map(({ name, description }, at): KnownBlock => {
    const line = description.trim() === '' ? name : `${name}: ${description}`;
    const ask = button('Ask', { id: `${HOME_ASK}:${at}`, value: name });
    return { type: 'section', text: plainTextElement(line, DESCRIPTION_CHARS), accessory: ask };
  });
  const more = agents.length - AGENTS;
  return [
    header(words.homeAgents),
    ...(agents.length === 0 ? [aside(words.homeNoAgents)] : rows),
    ...(more > 0 ? [aside(words.homeMoreAgents(more))] : []),
  ];
}

function settings({ agents, preference }: HomeLook): KnownBlock[] {
  const agentOptions = [option(words.homeNoDefault, NONE), ...agents.map(({ name }) => option(name, name))];
  const languageOptions = [
    option(words.homeNoLanguage, NONE),
    ...languages.map(({ code, own }) => option(own, code)),
  ];
  const { agent = NONE, language = NONE } = preference;
  return [
    header(words.homeSettings),
    choice(words.homeDefault, select(HOME_AGENT, agentOptions, words.homeNoDefault, agent)),
    choice(words.homeLanguage, select(HOME_LANGUAGE, languageOptions, words.homeNoLanguage, language)),
  ];
}

const choice = (text: string, accessory: ReturnType<typeof select>): KnownBlock => ({
  type: 'section',
  text: plainTextElement(text, DESCRIPTION_CHARS),
  accessory,
});
