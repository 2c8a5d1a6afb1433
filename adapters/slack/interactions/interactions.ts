/**
 * Handles what people do in Slack besides writing messages: buttons, forms, the command, shortcuts, and opening the
 * app's home or its direct message.
 */

import type { Lookup, ReplyEvents } from '../../../src/kit/ladder.ts';
import { defined, type Message, type Turn } from '../../../src/kit.ts';
import type { Workspace, Workspaces } from '../api/workspace.ts';
import { createPrivatePlaces } from '../private-places.ts';
import type { EventOf, SlackAct, SlackEvent, SlackView } from '../receive/events.ts';
import { notice } from '../render/blocks.ts';
import { beginsThread, createTitles, offerPrompts } from './agent-view.ts';
import { ASK, openShortcut } from './ask-form.ts';
import { runCommand } from './command.ts';
import { CORRECT, correct } from './correct.ts';
import type { Interaction, InteractionDeps } from './deps.ts';
import { FEEDBACK, sendFeedback } from './feedback.ts';
import { createOpenHomes, showHome } from './home.ts';
import { createPreferences, createQuestionPosts } from './preferences.ts';
import { createPresses, type Presses, soon } from './presses.ts';
import { SHARE, share } from './share.ts';
import { sayWaiting, updateView } from './tell.ts';
import { words } from './words.ts';

type Given = Omit<InteractionDeps, 'places' | 'preferences' | 'questionPosts'>;

export type Interactions = ReturnType<typeof createInteractions>;

export function createInteractions(workspaces: Workspaces, given: Given) {
  const { host, calls, background } = given;
  const deps: InteractionDeps = {
    ...given,
    places: createPrivatePlaces(host.secrets),
    preferences: createPreferences(host.state),
    questionPosts: createQuestionPosts(),
  };
  const titles = createTitles(host.state, calls);
  const homes = createOpenHomes(workspaces, host.state, host.clock);
  const presses = createPresses(deps, workspaces);
  // `documentChanged` runs for every change of a reply. Remember its turn, so that the thread's title is set only once.
  const named = new WeakSet<Turn>();
  const updateHome = ({ message: { thread, sender: asker } }: Turn) =>
    homes.changed(thread.tenant, asker.id, deps);
  const events: ReplyEvents = {
    // The post of a question asked with a button appears above its answer.
    before: ({ message }) => deps.questionPosts.wait(message),
    began: updateHome,
    ended: updateHome,
    documentChanged(turn, document) {
      if (document.state === 'thinking' || document.question === undefined || !beginsThread(turn)) return;
      if (named.has(turn)) return;
      named.add(turn);
      background.run("a thread's title", () => titles.name(turn, document));
    },
  };
  return {
    /** Resolves with the acknowledgement's body before Slack's limit of 3 s. */
    act: (act: SlackAct, workspace: Workspace) => onAct(act, { by: act.by, workspace, deps }, presses),
    /**
     * Handles an event that is not a message: a person opens the app's home, its messages tab or the assistant, gives a
     * thread a title, or presses Slack's own Stop on a stream. Returns true if it handled the event.
     */
    event: (event: SlackEvent, workspace: Workspace) => onEvent(event, workspace, deps, { titles, homes }),
    resume: presses.resume,
    /**
     * Lets an answer wait for the post of its question, updates the asker's home, and names a new thread after its first
     * question.
     */
    events,
    /** Extends the look-up of a question: adds the asker's preferences. */
    personal: (lookup: Required<Lookup>): Required<Lookup> => ({
      ...lookup,
      complete: async (message, signal) => personal(await lookup.complete(message, signal), deps),
    }),
    async sayWaiting(turn: Turn, sentence: string, offersInstead: boolean): Promise<void> {
      const workspace = await workspaces.ofTenant(turn.message.thread.tenant);
      if (workspace === undefined) return;
      await sayWaiting(turn, sentence, offersInstead, { workspace, deps });
    },
  };
}

async function onAct(act: SlackAct, interaction: Interaction, presses: Presses): Promise<object | undefined> {
  switch (act.kind) {
    case 'command':
      return runCommand({ ...interaction, conversation: act.conversation }, act);
    case 'shortcut':
      interaction.deps.background.run('a shortcut', () => openShortcut(interaction, act));
      return undefined;
    case 'pressed':
      return presses.pressed(interaction, act);
    case 'submitted':
      return submitted(interaction, act.view, presses);
  }
}

/**
 * Handles a sent form, then shows the result in it. Slack may repeat a request, and the form must not be handled twice
 * (attack S13: forged and replayed requests). Returns the acknowledgement's body, which shows a sentence in the form
 * until the result is known.
 */
function withResult(
  interaction: Interaction,
  view: SlackView,
  { title, until }: { title: string; until: string },
  work: (interaction: Interaction, view: SlackView) => Promise<string>,
): object {
  const { deps, workspace, by } = interaction;
  const owner = { tenant: workspace.tenant, person: by.user };
  const finish = async () => updateView(interaction, view.id, notice(title, await work(interaction, view)));
  deps.background.run(`the form ${view.callback}`, () =>
    deps.once(`${workspace.tenant} ${view.id}`, finish, owner),
  );
  return { response_action: 'update', view: notice(title, until) };
}

async function submitted(interaction: Interaction, view: SlackView, presses: Presses) {
  switch (view.callback) {
    case FEEDBACK:
      return soon(interaction, 'feedback', () => sendFeedback(interaction, view));
    case ASK:
      return presses.sentQuestion(interaction, view);
    case SHARE:
      return withResult(interaction, view, { title: words.shareTitle, until: words.sharing }, share);
    case CORRECT:
      return withResult(interaction, view, { title: words.correctTitle, until: words.storing }, correct);
    default:
      return undefined;
  }
}

async function onEvent(
  event: SlackEvent,
  workspace: Workspace,
  deps: InteractionDeps,
  { titles, homes }: { titles: ReturnType<typeof createTitles>; homes: ReturnType<typeof createOpenHomes> },
): Promise<boolean> {
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

/** Stops the turns whose streams Slack ended. Returns false if no running turn knows the streams. */
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
    await host.intake({ kind: 'stop', thread: turn.message.thread, turn: turn.id, streams, by });
  }
  return turns.length > 0;
}

/** Applies the asker's language everywhere, but their preferred agent only in direct messages and private threads. */
async function personal(message: Message, { preferences, host }: InteractionDeps): Promise<Message> {
  const { thread, sender } = message;
  const { agent, language } = await preferences.of(thread.tenant, sender.id);
  const offered = thread.kind === 'direct' ? host.agents() : [];
  const roomAgent = offered.find(({ name }) => name === agent)?.name;
  return { ...message, sender: { ...sender, ...defined({ language }) }, ...defined({ roomAgent }) };
}
