/** Interactions in Slack: buttons, forms, the command, shortcuts, the app's home and its direct message. */

import { createOnce, type Once } from '../../../src/kit/once.ts';
import {
  type ActionName,
  type Lookup,
  press,
  type ReplyEvents,
  type Turn,
  within,
} from '../../../src/kit.ts';
import { post } from '../api/post.ts';
import type { Workspace, Workspaces } from '../api/workspace.ts';
import { createPrivatePlaces, isPrivate } from '../private.ts';
import type { SlackAct, SlackAction, SlackEvent } from '../receive/events.ts';
import type { Reads } from '../receive/reads.ts';
import { pressedKind, readAction } from '../render/actions.ts';
import { beginsThread, createTitles, offerPrompts } from './agent-view.ts';
import { ASK } from './ask-form.ts';
import { runCommand } from './command.ts';
import type { InteractionDeps, Scene } from './deps.ts';
import { FEEDBACK, pressFeedback, sendFeedback } from './feedback.ts';
import { createOpenHomes, pressHome, showHome } from './home.ts';
import { createPreferences, createShown, personalLookup } from './preferences.ts';
import { createQuestions, keepPlace, replyPress } from './replies.ts';
import { createRunning } from './running.ts';
import { openShare, SHARE, share, sharingNow } from './share.ts';
import { askFromForm, openShortcut } from './shortcuts.ts';
import { openSources, SHARE_SOURCE, TURN_PAGE, turnPage } from './sources.ts';
import { sayWaiting, tell } from './tell.ts';
import { words } from './words.ts';

type Given = 'host' | 'settings' | 'calls' | 'people' | 'engagement' | 'background' | 'signal';

interface InteractionsDeps extends Pick<InteractionDeps, Given> {
  readonly apiUrl?: string | undefined;
  readonly workspaces: Workspaces;
  readonly reads: Reads;
}

export interface Interactions {
  /** Resolves with the acknowledgement's body before Slack's limit of 3 s. */
  act(act: SlackAct, workspace: Workspace): Promise<object | undefined>;
  /** Handles opened homes, titles given by people, and stops of known streams. Returns true if the event is done with. */
  event(event: SlackEvent, workspace: Workspace): Promise<boolean>;
  /** Keep the app's home and the stops of streams informed about running replies. */
  readonly events: ReplyEvents;
  /** Extends the lookup: waits for the post of a question that a press asked, and adds the asker's preferences. */
  personal(lookup: Required<Lookup>): Required<Lookup>;
  sayWaiting(turn: Turn, ahead: number): Promise<void>;
}

/** Slack waits 3 s for an acknowledgement; most presses are stored long before. */
const ACKNOWLEDGE_MS = 1_500;

export function createInteractions(given: InteractionsDeps): Interactions {
  const deps = makeParts(given);
  const { host, background } = deps;
  const soon = async (what: string, work: () => Promise<unknown>): Promise<undefined> => {
    const done = Promise.withResolvers<void>();
    background.run(what, () => work().finally(done.resolve));
    await within(done.promise, ACKNOWLEDGE_MS, host.clock);
    return undefined;
  };
  return {
    act: (act, workspace) => onAct(act, workspace, { deps, soon }),
    event: (event, workspace) => onEvent(event, workspace, { deps, soon }),
    events: deps.running,
    personal: (lookup) => personalLookup(lookup, { ...deps, agents: () => host.agents() }),
    async sayWaiting(turn, ahead) {
      const workspace = await given.workspaces.ofTenant(turn.message.thread.tenant);
      if (workspace !== undefined) await sayWaiting(turn, { ahead, workspace, deps });
    },
  };
}

interface Wired extends InteractionDeps {
  readonly once: Once;
  readonly titles: ReturnType<typeof createTitles>;
  readonly homes: ReturnType<typeof createOpenHomes>;
}

function makeParts(given: InteractionsDeps): Wired {
  const { host, calls, reads, signal, background } = given;
  const { clock } = host;
  const titles = createTitles(host.state, calls);
  const homes = createOpenHomes(clock);
  // `seen` runs for every change of a document, so the title is set only once per turn.
  const named = new WeakSet<Turn>();
  const running = createRunning(clock, {
    changed: ({ message: { thread, sender: asker } }) => homes.changed(thread.tenant, asker.id, deps),
    seen(turn, document) {
      if (document.state === 'thinking' || document.question === undefined || !beginsThread(turn)) return;
      if (named.has(turn)) return;
      named.add(turn);
      background.run("a thread's title", () => titles.name(turn, document));
    },
  });
  const deps: Wired = {
    ...given,
    respond: async (url, body) => {
      const sent = { url, body: JSON.stringify(body), type: 'application/json; charset=utf-8' };
      const answer = await post(sent, given.apiUrl, signal).catch(() => undefined);
      return answer?.kind === 'done';
    },
    titles,
    homes,
    running,
    places: createPrivatePlaces(host.secrets),
    preferences: createPreferences(host.state),
    questions: createQuestions({ reads, clock, agents: () => host.agents() }),
    shown: createShown(clock),
    once: createOnce({ host, background, signal }),
  };
  return deps;
}

interface Acting {
  readonly deps: Wired;
  /** Does the work in the background, and waits for it at most `ACKNOWLEDGE_MS`. */
  soon(what: string, work: () => Promise<unknown>): Promise<undefined>;
}

async function onAct(act: SlackAct, workspace: Workspace, acting: Acting): Promise<object | undefined> {
  const { deps } = acting;
  const scene: Scene = { by: act.by, workspace, deps };
  switch (act.kind) {
    case 'command':
      return runCommand({ ...scene, conversation: act.conversation }, act);
    case 'shortcut':
      deps.background.run('a shortcut', () => openShortcut(scene, act));
      return undefined;
    case 'pressed':
      return pressed(scene, act, acting);
    case 'submitted':
      return submitted(scene, act, acting);
    default:
      return undefined;
  }
}

type Pressed = Extract<SlackAct, { kind: 'pressed' }>;

/** Waits until a question is stored before it acknowledges the press, but not until a form is open. */
async function pressed(scene: Scene, act: Pressed, { deps, soon }: Acting): Promise<undefined> {
  const { action, view } = act;
  const there = { ...scene, ...placeOf(act) };
  const kind = pressedKind(action);
  const work = kind === undefined ? otherPress(there, action, view) : () => pressReply(there, kind, action);
  if (work === undefined) return undefined;
  const careful = () => orTell(there, work);
  if (kind !== undefined && !opensForm(kind)) return soon(`a press on ${kind}`, careful);
  deps.background.run(`a press on ${kind ?? action.id}`, careful);
  return undefined;
}

/** Resolves once the bridge accepted the press, or told the person why not. */
async function pressReply(scene: Scene, action: ActionName, pressed: SlackAction): Promise<void> {
  const read = readAction(pressed);
  if (read === undefined) return void (await tell(scene, words.stale));
  const { ts } = pressed;
  const made = replyPress(scene, read, { action, ts });
  if (isPrivate(read.reply) && made.context.isHere) await keepPlace(scene, made.press.thread);
  switch (action) {
    case 'sources':
      return openSources(scene, read, ts);
    case 'share':
      return openShare(scene, pressed);
    case 'feedback':
      return pressFeedback(scene, made, pressed.value);
    default: {
      const { kind, sentence } = await press(made.press, made.context);
      if (kind !== 'done') await tell(scene, sentence);
    }
  }
}

/** True if a press only opens a form, so that its acknowledgement need not wait for anything. */
const opensForm = (action: ActionName): boolean => action === 'sources' || action === 'share';

/** Runs `work`; if it throws, tells the person so and rethrows. */
async function orTell(scene: Scene, work: () => Promise<unknown>): Promise<void> {
  await work().catch(async (thrown: unknown) => {
    await tell(scene, words.trouble);
    throw thrown;
  });
}

function otherPress(
  scene: Scene,
  action: Pressed['action'],
  view: Pressed['view'],
): (() => Promise<void>) | undefined {
  if (action.id.startsWith(`${SHARE_SOURCE}:`)) return () => openShare(scene, { value: action.value });
  if (action.id.startsWith(`${TURN_PAGE}:`) && view) return () => turnPage(scene, action, view);
  return action.id.startsWith('home:') ? () => pressHome(scene, action) : undefined;
}

function placeOf({ conversation, message, container }: Pressed): {
  conversation?: string;
  threadTs?: string;
} {
  const threadTs = message?.threadTs ?? container.threadTs;
  return {
    ...(conversation !== undefined && { conversation }),
    ...(threadTs !== undefined && { threadTs }),
  };
}

type Submitted = Extract<SlackAct, { kind: 'submitted' }>;

async function submitted(
  scene: Scene,
  { view }: Submitted,
  { deps, soon }: Acting,
): Promise<object | undefined> {
  // A form is sent once; a repeated request would post a second time (attack S13).
  const once = (work: () => Promise<void>) => deps.once(`${scene.workspace.tenant} ${view.id}`, work);
  switch (view.callback) {
    case FEEDBACK:
      return soon('feedback', () => orTell(scene, () => sendFeedback(scene, view)));
    case ASK:
      return soon('a question from a form', () => orTell(scene, () => once(() => askFromForm(scene, view))));
    case SHARE:
      scene.deps.background.run('a share', () => once(() => share(scene, view)));
      return sharingNow();
    default:
      return undefined;
  }
}

async function onEvent(event: SlackEvent, workspace: Workspace, acting: Acting): Promise<boolean> {
  const { deps } = acting;
  switch (event.kind) {
    case 'home-opened':
      opened(event, workspace, deps);
      return true;
    case 'assistant-opened':
      deps.background.run('suggested prompts', () => offerPrompts(workspace, event, deps));
      return true;
    case 'titled': {
      const { conversation: room, threadTs: key } = event;
      await deps.titles.named({ tenant: workspace.tenant, room, key });
      return true;
    }
    case 'stopped':
      return stopStreams(event, workspace, deps);
    default:
      return false;
  }
}

function opened(
  { user, conversation, tab }: Extract<SlackEvent, { kind: 'home-opened' }>,
  workspace: Workspace,
  deps: Wired,
): void {
  if (tab === 'messages') {
    deps.background.run('suggested prompts', () => offerPrompts(workspace, { conversation }, deps));
    return;
  }
  if (tab !== 'home') return;
  deps.homes.opened(workspace, user);
  deps.background.run("a person's home", () => showHome({ by: { user }, workspace, deps }));
}

/** Stops the turns of streams that Slack ended, and no turn that began later. Returns false if no stream is known. */
async function stopStreams(
  event: Extract<SlackEvent, { kind: 'stopped' }>,
  workspace: Workspace,
  { running, host }: InteractionDeps,
): Promise<boolean> {
  const { conversation, user, streams } = event;
  const turns = streams.flatMap((ts) => running.showing(workspace.tenant, conversation, ts) ?? []);
  const by = { id: user, name: user, standing: 'member' } as const;
  for (const turn of turns) {
    await host.intake({ kind: 'stop', thread: turn.message.thread, turn: turn.id, by });
  }
  return turns.length > 0;
}
