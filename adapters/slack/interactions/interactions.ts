/**
 * Handles what people do in Slack besides writing messages: buttons, forms, the command, shortcuts, and opening the
 * app's home or its direct message.
 */

import { defined } from '../../../src/kit/json.ts';
import { createOnce } from '../../../src/kit/once.ts';
import {
  type ActionName,
  type Lookup,
  press,
  type ReplyEvents,
  type Turn,
  within,
} from '../../../src/kit.ts';
import type { Workspace, Workspaces } from '../api/workspace.ts';
import { createPrivatePlaces, isPrivate } from '../private.ts';
import type { ActOf, EventOf, SlackAct, SlackAction, SlackEvent, SlackView } from '../receive/events.ts';
import { pressedKind, readAction } from '../render/actions.ts';
import { beginsThread, createTitles, offerPrompts } from './agent-view.ts';
import { ASK, askFromForm, openShortcut } from './ask-form.ts';
import { runCommand } from './command.ts';
import { CORRECT, correct, openCorrect, storingNow } from './correct.ts';
import type { Interaction, InteractionDeps } from './deps.ts';
import { FEEDBACK, pressFeedback, sendFeedback } from './feedback.ts';
import { createOpenHomes, pressHome, showHome } from './home.ts';
import { createPreferences, createQuestionPosts, personalLookup } from './preferences.ts';
import { keepPlace, replyPress } from './replies.ts';
import { openShare, SHARE, share, sharingNow } from './share.ts';
import { openSources, SHARE_SOURCE, TURN_PAGE, turnPage } from './sources.ts';
import { sayWaiting, tell } from './tell.ts';
import { words } from './words.ts';

type Made = 'places' | 'preferences' | 'questionPosts' | 'once';

interface InteractionsDeps extends Omit<InteractionDeps, Made> {
  readonly workspaces: Workspaces;
}

export type Interactions = ReturnType<typeof createInteractions>;

export function createInteractions(given: InteractionsDeps) {
  const { host, calls, background, signal } = given;
  const { clock } = host;
  const titles = createTitles(host.state, calls);
  const homes = createOpenHomes({ workspaces: given.workspaces, state: host.state, clock });
  // `documentChanged` runs for every change of a document. Remember the turn, so that its title is set only once.
  const named = new WeakSet<Turn>();
  const updateHome = ({ message: { thread, sender: asker } }: Turn) =>
    homes.changed(thread.tenant, asker.id, deps);
  const events: ReplyEvents = {
    began: updateHome,
    ended: updateHome,
    documentChanged(turn, document) {
      if (document.state === 'thinking' || document.question === undefined || !beginsThread(turn)) return;
      if (named.has(turn)) return;
      named.add(turn);
      background.run("a thread's title", () => titles.name(turn, document));
    },
  };
  const deps: InteractionDeps = {
    ...given,
    places: createPrivatePlaces(host.secrets),
    preferences: createPreferences(host.state),
    questionPosts: createQuestionPosts(clock),
    once: createOnce({ host, background, signal }),
  };
  return {
    /** Resolves with the acknowledgement's body before Slack's limit of 3 s. */
    act: (act: SlackAct, workspace: Workspace) => onAct(act, { by: act.by, workspace, deps }),
    /**
     * Handles an opened home, a title given by a person, and Slack's own Stop on a stream. Returns true if it handled
     * the event.
     */
    event: (event: SlackEvent, workspace: Workspace) => onEvent(event, workspace, { deps, titles, homes }),
    /** Updates the asker's home, and names a new thread after its first question. */
    events,
    /**
     * Extends the look-up of a question: waits until a question asked with a button is posted, and adds the asker's
     * preferences.
     */
    personal: (lookup: Required<Lookup>) => personalLookup(lookup, deps),
    async sayWaiting(turn: Turn, sentence: string): Promise<void> {
      const workspace = await given.workspaces.ofTenant(turn.message.thread.tenant);
      if (workspace !== undefined) await sayWaiting(turn, { sentence, workspace, deps });
    },
  };
}

async function onAct(act: SlackAct, interaction: Interaction): Promise<object | undefined> {
  switch (act.kind) {
    case 'command':
      return runCommand({ ...interaction, conversation: act.conversation }, act);
    case 'shortcut':
      interaction.deps.background.run('a shortcut', () => openShortcut(interaction, act));
      return undefined;
    case 'pressed':
      return pressed(interaction, act);
    case 'submitted':
      return submitted(interaction, act.view);
  }
}

/**
 * Maximum wait before a press is acknowledged, in milliseconds. Slack allows 3 s, and most presses are stored much
 * sooner.
 */
const ACKNOWLEDGE_MS = 1_500;

/** Runs `work` in the background, and waits for it at most `ACKNOWLEDGE_MS`. If it fails, notifies the person. */
async function soon(
  interaction: Interaction,
  what: string,
  work: () => Promise<unknown>,
): Promise<undefined> {
  const { background, host } = interaction.deps;
  const done = Promise.withResolvers<void>();
  background.run(what, () => tellFailure(interaction, work).finally(done.resolve));
  await within(done.promise, ACKNOWLEDGE_MS, host.clock);
  return undefined;
}

/** Runs `work`. If it throws, notifies the person and rethrows. */
async function tellFailure(interaction: Interaction, work: () => Promise<unknown>): Promise<void> {
  await work().catch(async (thrown: unknown) => {
    await tell(interaction, words.trouble);
    throw thrown;
  });
}

/**
 * Handles a press. Most presses on a reply are acknowledged once they are handled, or after 1.5 s. All others, such as
 * presses that only open a form, are acknowledged immediately.
 */
async function pressed(interaction: Interaction, act: ActOf<'pressed'>): Promise<undefined> {
  const { action, view, conversation, threadTs } = act;
  const there = { ...interaction, ...defined({ conversation, threadTs }) };
  const kind = pressedKind(action);
  const work = kind === undefined ? otherPress(there, action, view) : () => pressReply(there, kind, action);
  if (work === undefined) return undefined;
  if (kind !== undefined && !opensForm(kind)) return soon(there, `a press on ${kind}`, work);
  interaction.deps.background.run(`a press on ${kind ?? action.id}`, () => tellFailure(there, work));
  return undefined;
}

/** Resolves once the bridge has accepted the press, or has shown the person why not. */
async function pressReply(interaction: Interaction, action: ActionName, pressed: SlackAction): Promise<void> {
  const read = readAction(pressed);
  if (read === undefined) return void (await tell(interaction, words.stale));
  const { ts } = pressed;
  const made = replyPress(interaction, read, { action, ts });
  if (isPrivate(read.reply) && made.context.isHere) await keepPlace(interaction, made.press.thread);
  switch (action) {
    case 'sources':
      return openSources(interaction, read, ts);
    case 'share':
      return openShare(interaction, pressed);
    case 'correct':
      return openCorrect(interaction, read, ts);
    case 'feedback':
      return pressFeedback(interaction, made, pressed.value);
    default: {
      const { kind, sentence } = await press(made.press, made.context);
      if (kind !== 'done') await tell(interaction, sentence);
    }
  }
}

/** True if a press only opens a form. Such a press stores nothing, so it is acknowledged immediately. */
const opensForm = (action: ActionName): boolean =>
  action === 'sources' || action === 'share' || action === 'correct';

function otherPress(
  interaction: Interaction,
  action: SlackAction,
  view: SlackView | undefined,
): (() => Promise<void>) | undefined {
  if (action.id.startsWith(`${SHARE_SOURCE}:`)) return () => openShare(interaction, { value: action.value });
  if (action.id.startsWith(`${TURN_PAGE}:`) && view) return () => turnPage(interaction, action, view);
  return action.id.startsWith('home:') ? () => pressHome(interaction, action) : undefined;
}

async function submitted(interaction: Interaction, view: SlackView): Promise<object | undefined> {
  const { deps, workspace } = interaction;
  // Slack may repeat a request, and the form must not be handled twice (attack S13: forged and replayed requests).
  const once = (work: () => Promise<void>) => deps.once(`${workspace.tenant} ${view.id}`, work);
  switch (view.callback) {
    case FEEDBACK:
      return soon(interaction, 'feedback', () => sendFeedback(interaction, view));
    case ASK:
      return soon(interaction, 'a question from a form', () => once(() => askFromForm(interaction, view)));
    case SHARE:
      deps.background.run('a share', () => once(() => share(interaction, view)));
      return sharingNow();
    case CORRECT:
      deps.background.run('a correction', () => once(() => correct(interaction, view)));
      return storingNow();
    default:
      return undefined;
  }
}

interface Views {
  readonly deps: InteractionDeps;
  readonly titles: ReturnType<typeof createTitles>;
  readonly homes: ReturnType<typeof createOpenHomes>;
}

async function onEvent(event: SlackEvent, workspace: Workspace, views: Views): Promise<boolean> {
  const { deps, titles, homes } = views;
  const { background } = deps;
  switch (event.kind) {
    case 'home-opened': {
      const { user, tab } = event;
      if (tab === 'messages')
        background.run('suggested prompts', () =>
          offerPrompts(workspace, { conversation: event.conversation }, deps),
        );
      if (tab !== 'home') return true;
      background.run('an open home', () => homes.opened(workspace, user));
      background.run("a person's home", () => showHome({ by: { user }, workspace, deps }));
      return true;
    }
    case 'assistant-opened':
      background.run('suggested prompts', () => offerPrompts(workspace, event, deps));
      return true;
    case 'titled':
      await titles.named({ tenant: workspace.tenant, room: event.conversation, key: event.threadTs });
      return true;
    case 'stopped':
      return stopStreams(event, workspace, deps);
    default:
      return false;
  }
}

/**
 * Stops the turns whose streams Slack ended, but no turn that began later. Returns false if no turn belongs to the
 * streams.
 */
async function stopStreams(
  { conversation, user, streams }: EventOf<'stopped'>,
  workspace: Workspace,
  { host }: InteractionDeps,
): Promise<boolean> {
  const running = await host.running(workspace.tenant);
  const turns = running.filter(
    ({ message, screen }) =>
      message.thread.room === conversation && screen?.parts.some(({ id }) => streams.includes(id)),
  );
  const by = { id: user, name: user, standing: 'member' } as const;
  for (const turn of turns) {
    await host.intake({ kind: 'stop', thread: turn.message.thread, turn: turn.id, by });
  }
  return turns.length > 0;
}
