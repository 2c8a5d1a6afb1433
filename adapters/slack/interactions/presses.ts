/**
 * Handles presses on buttons and menus, and the form "Ask an agent". A press or form that starts or stops a turn is
 * acknowledged once it is handled or stored.
 */

import { z } from 'zod';
import { type AcceptedPresses, createAcceptedPresses } from '../../../src/kit/accepted-presses.ts';
import { defined } from '../../../src/kit/json.ts';
import { type ActionName, isForTurns, press, within } from '../../../src/kit.ts';
import type { Workspaces } from '../api/workspace.ts';
import { isPrivate } from '../private.ts';
import type { ActOf, SlackAction, SlackView } from '../receive/events.ts';
import { pressedKind, readAction } from '../render/actions.ts';
import { askFromForm } from './ask-form.ts';
import { openCorrect } from './correct.ts';
import type { Interaction, InteractionDeps, StoredPress } from './deps.ts';
import { pressFeedback } from './feedback.ts';
import { pressHome } from './home.ts';
import { keepPlace, replyPress } from './replies.ts';
import { openShare } from './share.ts';
import { openSources, SHARE_SOURCE, TURN_PAGE, turnPage } from './sources.ts';
import { removeNote, tell } from './tell.ts';
import { words } from './words.ts';

/**
 * Maximum wait before a press is acknowledged, in milliseconds. Slack allows 3 s, and most presses are stored much
 * sooner.
 */
const ACKNOWLEDGE_MS = 1_500;

/** Runs `work` in the background, and waits for it at most `ACKNOWLEDGE_MS`. If it fails, notifies the person. */
export async function soon(
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
 * Handles a press. A press on a reply is acknowledged once it is handled, if this takes at most 1.5 s. If it takes
 * longer, a press that starts or stops a turn is acknowledged once it is stored. Any other press on a reply is then
 * acknowledged after 1.5 s. Presses elsewhere, and presses that only open a form, are acknowledged immediately.
 */
export async function pressed(interaction: Interaction, act: ActOf<'pressed'>): Promise<undefined> {
  const { action, view, conversation, threadTs } = act;
  const there = { ...interaction, ...defined({ conversation, threadTs }) };
  const { deps, workspace } = interaction;
  const kind = pressedKind(action);
  const work = kind === undefined ? otherPress(there, action, view) : () => pressReply(there, kind, action);
  if (work === undefined) return undefined;
  if (kind !== undefined && isForTurns(kind)) {
    const { kind: _kind, view: _view, by, ...place } = act;
    const { trigger: _trigger, ...actor } = by;
    const stored = { ...place, by: actor, tenant: workspace.tenant };
    return deps.presses.handle(stored, () => tellFailure(there, work)).then(() => undefined);
  }
  if (kind !== undefined && !opensForm(kind)) return soon(there, `a press on ${kind}`, work);
  deps.background.run(`a press on ${kind ?? action.id}`, () => tellFailure(there, work));
  return undefined;
}

/**
 * Asks the question of a sent form. Acknowledges the form once the question is asked, or after 1.5 s once the form is
 * stored.
 */
export async function sentQuestion(interaction: Interaction, view: SlackView): Promise<undefined> {
  const { deps, workspace } = interaction;
  const { trigger: _, ...by } = interaction.by;
  await deps.presses.handle({ tenant: workspace.tenant, by, form: view }, () => askOnce(interaction, view));
  return undefined;
}

/** Asks the question of a form once, because Slack may send the form twice (attack S13: replayed requests). */
const askOnce = (interaction: Interaction, view: SlackView): Promise<void> =>
  tellFailure(interaction, () =>
    interaction.deps.once(`${interaction.workspace.tenant} ${view.id}`, () => askFromForm(interaction, view)),
  );

interface PressesDeps {
  readonly workspaces: Workspaces;
  /**
   * Returns the dependencies of interactions. It is a function, because these dependencies contain the store of
   * presses, which is created before them.
   */
  deps(): InteractionDeps;
}

/** Creates the store of the presses that are acknowledged before they are handled. */
export function createPresses(
  given: Pick<InteractionDeps, 'host' | 'background' | 'once' | 'signal'>,
  { workspaces, deps }: PressesDeps,
): AcceptedPresses<StoredPress> {
  return createAcceptedPresses<StoredPress>({
    ...given,
    acknowledgeMs: ACKNOWLEDGE_MS,
    identify(stored) {
      const { tenant, by } = stored;
      if ('form' in stored) return [tenant, by.user, stored.form.id];
      return [tenant, stored.conversation ?? '', by.user, stored.action.ts];
    },
    decode: (stored) => storedPress.safeParse(stored).data,
    async again(stored) {
      const { tenant, by } = stored;
      const workspace = await workspaces.ofTenant(tenant);
      if (workspace === undefined) return;
      const interaction = { by, workspace, deps: deps() };
      if ('form' in stored) return askOnce(interaction, stored.form);
      const { action, conversation, threadTs } = stored;
      const kind = pressedKind(action);
      if (kind === undefined) return;
      const there = { ...interaction, ...defined({ conversation, threadTs }) };
      await tellFailure(there, () => pressReply(there, kind, action));
    },
  });
}

const filled = z.string().min(1);

const stored = z.object({
  tenant: filled,
  by: z.object({ user: filled, team: filled.exactOptional(), responseUrl: filled.exactOptional() }),
});

const storedPress = z.union([
  stored.extend({
    action: z.object({ id: filled, value: z.string(), ts: z.string() }),
    conversation: filled.exactOptional(),
    threadTs: filled.exactOptional(),
  }),
  stored.extend({
    form: z.object({
      id: filled,
      callback: z.string(),
      metadata: z.string(),
      values: z.record(z.string(), z.record(z.string(), z.unknown())),
    }),
  }),
]);

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
      if (action === 'instead') await removeNote(interaction);
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
