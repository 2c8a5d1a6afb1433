/**
 * Handles presses on buttons and menus, and the form "Ask an agent". A press or form that starts or stops a turn is
 * acknowledged once it is handled or stored.
 */

import { z } from 'zod';
import { AcceptedPresses, isForTurns, within } from '../../../src/kit/ladder.ts';
import { type ActionName, defined, press } from '../../../src/kit.ts';
import type { Workspaces } from '../api/workspace.ts';
import { isPrivate } from '../private-places.ts';
import type { ActOf, Actor, SlackAction, SlackView } from '../receive/events.ts';
import { pressedKind, readAction } from '../render/actions.ts';
import { askFromForm } from './ask-form.ts';
import { openCorrect } from './correct.ts';
import type { Interaction, InteractionDeps } from './deps.ts';
import { pressFeedback } from './feedback.ts';
import { pressHome } from './home.ts';
import { keepPlace, replyPress } from './replies.ts';
import { openShare } from './share.ts';
import { openSources, SHARE_SOURCE, TURN_PAGE, turnPage } from './sources.ts';
import { removeNote, tell } from './tell.ts';
import { words } from './words.ts';

/**
 * Maximum wait before a press is stored and acknowledged, in milliseconds. Slack allows 3 s and does not repeat a
 * press, so most of this time is left for a slow store.
 */
const ACKNOWLEDGE_MS = 1_000;

/** Runs `work` in the background, and waits for it at most `ACKNOWLEDGE_MS`. If it fails, notifies the person. */
export async function soon(
  interaction: Interaction,
  what: string,
  work: () => Promise<unknown>,
): Promise<undefined> {
  const { background, host } = interaction.deps;
  const done = background.result(what, () => tellFailure(interaction, work));
  await within(done, ACKNOWLEDGE_MS, host.clock);
  return undefined;
}

/** Runs `work`. If it throws, notifies the person and rethrows. */
async function tellFailure(interaction: Interaction, work: () => Promise<unknown>): Promise<void> {
  await work().catch(async (thrown: unknown) => {
    await tell(interaction, words.trouble);
    throw thrown;
  });
}

/** Asks the question of a form once, because Slack may send the form twice (attack S13: replayed requests). */
function askOnce(interaction: Interaction, view: SlackView): Promise<void> {
  const { deps, workspace, by } = interaction;
  const owner = { tenant: workspace.tenant, person: by.user };
  return tellFailure(interaction, () =>
    deps.once(`${workspace.tenant} ${view.id}`, () => askFromForm(interaction, view), owner),
  );
}

export type Presses = ReturnType<typeof createPresses>;

/** Handles presses, and keeps those that are acknowledged before they are handled. */
export function createPresses(deps: InteractionDeps, workspaces: Workspaces) {
  const { host, background, once, signal } = deps;
  const accepted = new AcceptedPresses<StoredPress>({
    host,
    background,
    once,
    signal,
    acknowledgeMs: ACKNOWLEDGE_MS,
    identify(press) {
      const { tenant, by } = press;
      if ('form' in press) return [tenant, by.user, press.form.id];
      return [tenant, press.conversation ?? '', by.user, press.action.ts];
    },
    ownerOf: ({ tenant, by }) => ({ tenant, person: by.user }),
    decode: (press) => storedPress.safeParse(press).data,
    async again(press) {
      const { tenant, by } = press;
      const workspace = await workspaces.ofTenant(tenant);
      if (workspace === undefined) return;
      const interaction = { by, workspace, deps };
      if ('form' in press) return askOnce(interaction, press.form);
      const { action, conversation, threadTs } = press;
      const kind = pressedKind(action);
      if (kind === undefined) return;
      const there = { ...interaction, ...defined({ conversation, threadTs }) };
      await tellFailure(there, () => pressReply(there, kind, action));
    },
  });
  return {
    /** Handles stored presses whose process ended. Continues until the adapter stops. */
    resume: () => accepted.resume(),
    /**
     * Handles a press. A press on a reply is acknowledged once it is handled, if this takes at most 1 s. If it takes
     * longer, a press that starts or stops a turn is acknowledged once it is stored. Any other press on a reply is then
     * acknowledged after 1 s. Presses elsewhere, and presses that only open a form, are acknowledged immediately.
     */
    async pressed(interaction: Interaction, act: ActOf<'pressed'>): Promise<undefined> {
      const { action, view, conversation, threadTs } = act;
      const there = { ...interaction, ...defined({ conversation, threadTs }) };
      const kind = pressedKind(action);
      const work =
        kind === undefined ? otherPress(there, action, view) : () => pressReply(there, kind, action);
      if (work === undefined) return undefined;
      if (kind !== undefined && isForTurns(kind)) {
        const { kind: _kind, view: _view, by, ...place } = act;
        const stored = { ...place, by: withoutTrigger(by), tenant: interaction.workspace.tenant };
        return accepted.handle(stored, () => tellFailure(there, work)).then(() => undefined);
      }
      if (kind !== undefined && !opensForm(kind)) return soon(there, `a press on ${kind}`, work);
      background.run(`a press on ${kind ?? action.id}`, () => tellFailure(there, work));
      return undefined;
    },
    /**
     * Asks the question of a sent form. Acknowledges the form once the question is asked, or after 1 s once the form
     * is stored.
     */
    async sentQuestion(interaction: Interaction, form: SlackView): Promise<undefined> {
      const { by, workspace } = interaction;
      const stored = { tenant: workspace.tenant, by: withoutTrigger(by), form };
      await accepted.handle(stored, () => askOnce(interaction, form));
      return undefined;
    },
  };
}

/** The trigger id is not stored, because it soon expires. */
const withoutTrigger = ({ trigger: _, ...by }: Actor): Omit<Actor, 'trigger'> => by;

const filled = z.string().min(1);

const stored = z.object({
  tenant: filled,
  by: z.object({ user: filled, team: filled.exactOptional(), responseUrl: filled.exactOptional() }),
});

/** A press or a sent form that another process may handle. */
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

type StoredPress = z.output<typeof storedPress>;

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
