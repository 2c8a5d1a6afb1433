/** Gets the account of a person whose own token the agent uses, and waits while the person's client sends the token. */

import { asBridgeError, BridgeError } from '../../errors.ts';
import type { Agent } from '../agents/agent.ts';
import type { Asker } from '../asker.ts';
import { OVER } from '../clock.ts';
import type { Command } from '../commands/reading.ts';
import { awaitSignIn, signInOver } from '../live-reply/compose.ts';
import { words } from '../words.ts';
import { fromStore } from './from-store.ts';
import type { TurnContext } from './turn-context.ts';

/** Maximum time for which a question waits for a token, in milliseconds: enough for a person to sign in by hand. */
const WAIT_MS = 2 * 60_000;
/**
 * Minimum remaining lifetime of a token, in milliseconds. If a token expires sooner, another token is requested before
 * the agent is asked. Most answers take less time than this.
 */
const LIFE_MS = 3 * 60_000;
/**
 * Minimum remaining lifetime of a token that arrived after it was requested, in milliseconds. A client may send a token
 * that is an hour old, and another request would only bring the same token.
 */
const NEW_LIFE_MS = 5_000;
/**
 * Interval between two look-ups in the store, in milliseconds. They are needed because another replica may receive the
 * token.
 */
const LOOK_EVERY_MS = 1_000;
/** Time after which the reply says that it waits for a token, in milliseconds. Most clients send a token sooner. */
const SHOW_AFTER_MS = 1_500;

/** Commands that use documents or the conversation of the asker's account. */
const WITH_ACCOUNT: readonly Command['name'][] = ['search', 'files', 'undo', 'new'];

/** True if the agent answers here only with the asker's own token. */
export function needsAskerToken({ claim, deps }: TurnContext, { asAsker }: Agent): boolean {
  const { thread } = claim.turn.message;
  return (
    asAsker === true &&
    thread.kind === 'direct' &&
    deps.askers !== undefined &&
    deps.adapter(thread.channel).abilities.signIn !== undefined
  );
}

/**
 * Resolves with the asker's account. For a command that needs no rights, resolves with undefined if there is no token.
 * Rejects with `sign-in-needed` if no token arrives.
 */
export async function signedInAccount(
  context: TurnContext,
  command: Command | undefined,
): Promise<string | undefined> {
  const { claim, deps } = context;
  const { thread, sender } = claim.turn.message;
  const asker = { channel: thread.channel, tenant: thread.tenant, person: sender.id };
  const known = await fromStore(context, async () => deps.askers?.find(asker, LIFE_MS));
  const isFree = command !== undefined && !WITH_ACCOUNT.includes(command.name);
  return known ?? (isFree ? undefined : signIn(context, asker));
}

async function signIn(context: TurnContext, asker: Asker): Promise<string> {
  const { claim, deps, liveReply, scope } = context;
  const { turn } = claim;
  const { thread } = turn.message;
  const { askers } = deps;
  const { signIn: channel } = deps.adapter(thread.channel).abilities;
  if (askers === undefined || channel?.isPossible(thread) !== true) {
    throw needed('No token can be requested in this thread.', words.signIn.inPersonalChat);
  }
  const over = new AbortController();
  const until = await askers.deadlineOf(turn, WAIT_MS);
  const since = deps.clock.now();
  const telling = tellLater(context, over.signal);
  let resumed: (() => void) | undefined;
  try {
    await channel.begin(turn, scope.asking).catch((thrown: unknown) => {
      scope.asking.throwIfAborted();
      throw needed(asBridgeError(thrown).message, words.signIn.failed, thrown);
    });
    for (;;) {
      const account = (await askers.find(asker, LIFE_MS)) ?? (await askers.find(asker, NEW_LIFE_MS, since));
      if (account !== undefined) return account;
      if (await askers.failedSince(asker, since))
        throw needed("The person's client got no token.", words.signIn.failed);
      if (deps.clock.now() >= until) throw needed(`No token arrived within ${WAIT_MS / 1_000} s.`);
      // A stalled turn does not count towards the worker's maximum, so people who do not sign in do not block others.
      resumed ??= scope.stall();
      await nextLook(context, asker);
    }
  } finally {
    resumed?.();
    over.abort(OVER);
    await telling;
    liveReply.update(signInOver);
    // After a takeover, the new process still shows the request for a token.
    if (scope.why()?.kind !== 'lost') channel.end(turn);
  }
}

const needed = (message: string, tellUser?: string, cause?: unknown): BridgeError =>
  new BridgeError('sign-in-needed', message, {
    ...(tellUser !== undefined && { tellUser }),
    ...(cause !== undefined && { cause }),
  });

async function tellLater({ deps, liveReply }: TurnContext, over: AbortSignal): Promise<void> {
  await deps.clock.wait(SHOW_AFTER_MS, over).then(
    () => liveReply.update(awaitSignIn),
    () => undefined,
  );
}

/**
 * Resolves after a second, or earlier if a token of the person arrives in this process. Rejects if the turn is
 * interrupted.
 */
async function nextLook({ deps, scope }: TurnContext, asker: Asker): Promise<void> {
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, scope.asking]);
  const heard = deps.askers?.changed(asker, signal).catch(() => undefined);
  const late = deps.clock.wait(LOOK_EVERY_MS, signal).catch(() => undefined);
  await Promise.race([heard ?? late, late]);
  over.abort(OVER);
  scope.asking.throwIfAborted();
}
