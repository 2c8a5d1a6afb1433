/** Makes sure that the asker's platform account is valid, before a question and while its answer runs. */

import { asBridgeError, BridgeError } from '../../errors.ts';
import { type AccessPolicy, identify } from '../agents/access.ts';
import type { Agent } from '../agents/agent.ts';
import { OVER, orAborted } from '../clock.ts';
import { commandOf } from '../commands/reading.ts';
import { words } from '../words.ts';
import { needsAskerToken } from './sign-in.ts';
import type { ResolvedAgent, TurnContext } from './turn-context.ts';

/**
 * Interval between two checks during an answer, in milliseconds. The gateway signs in again after 50 s, so a disabled
 * account is noticed within 60 s.
 */
const WATCH_EVERY_MS = 5_000;

/** Error codes with which the platform refuses an account. All other codes are failures of the platform. */
const REFUSED: ReadonlySet<string> = new Set([
  'platform-auth',
  'platform-permission',
  'platform-parameter',
  'platform-refused',
]);

/**
 * Returns the access policy for the turn. If the operator's table has no account for the person, the policy uses the
 * account to which the person linked themselves. The policy always allows `link` and `unlink`, because a person without
 * an account needs `link` to get one.
 */
async function policyFor({ claim, deps: { policy, links } }: TurnContext): Promise<AccessPolicy> {
  const { message } = claim.turn;
  const { sender, thread } = message;
  if (links === undefined) return policy;
  const name = commandOf(message)?.name;
  const unmapped = name === 'link' || name === 'unlink' ? 'service' : policy.unmapped;
  if (policy.accounts.find(sender, thread) !== undefined) return { ...policy, unmapped };
  const account = sender.standing === 'unproven' ? undefined : await links.find(sender, thread);
  return {
    ...policy,
    unmapped,
    tellUnmapped: words.unmappedCanLink,
    accounts: { ...policy.accounts, find: () => account },
  };
}

/**
 * Resolves with the accounts with which the agent answers the sender. Rejects with `access-denied`. An account is never
 * used on another platform than `main`, where its name may belong to somebody else.
 */
export async function identityFor(
  context: TurnContext,
  { platform }: Agent,
): Promise<Partial<ReturnType<typeof identify>>> {
  const { sender, thread } = context.claim.turn.message;
  const identity = identify(sender, thread, await policyFor(context), context.deps.room(thread));
  return platform === undefined ? identity : {};
}

/**
 * Throws `access-denied` if the platform no longer accepts the asker's account. Also checks in rooms, where answers use
 * the room's account: a person who was locked out must not ask there either.
 */
export async function checkAccount(
  { scope }: TurnContext,
  { agent, own }: Pick<ResolvedAgent, 'agent' | 'own'>,
): Promise<void> {
  if (own === undefined) return;
  try {
    await agent.gateway.admit?.(own, scope.asking);
  } catch (thrown) {
    scope.asking.throwIfAborted();
    const { code, message } = asBridgeError(thrown);
    if (!REFUSED.has(code)) throw thrown;
    throw new BridgeError('access-denied', `The platform does not accept the account "${own}": ${message}`, {
      tellUser: words.accountRefused,
      cause: thrown,
    });
  }
}

/** Throws `access-denied` if the identity provider with which the asker signed in no longer accepts them. */
export async function checkSignIn({ claim, deps }: TurnContext, signal: AbortSignal): Promise<void> {
  const { sender, thread } = claim.turn.message;
  const { isAccepted } = deps.adapter(thread.channel).abilities;
  if (isAccepted === undefined || (await orAborted(isAccepted(sender.id, 'ask'), signal))) return;
  throw new BridgeError('access-denied', 'The identity provider no longer accepts the person.', {
    tellUser: words.notAcceptedBeforeText,
  });
}

/**
 * Runs `work`, and interrupts the turn as soon as the asker's account is disabled on the platform or is no longer
 * theirs, or the identity provider no longer accepts the asker. If none of this can happen, only runs `work`.
 */
export async function whileAccountCounts(
  context: TurnContext,
  resolved: ResolvedAgent,
  work: () => Promise<void>,
): Promise<void> {
  const { thread } = context.claim.turn.message;
  const { isAccepted } = context.deps.adapter(thread.channel).abilities;
  if (resolved.own === undefined && isAccepted === undefined) return work();
  const over = new AbortController();
  const watching = watchAccount(context, resolved, over.signal);
  try {
    await work();
  } finally {
    over.abort(OVER);
    await watching;
  }
}

async function watchAccount(context: TurnContext, resolved: ResolvedAgent, over: AbortSignal): Promise<void> {
  const { scope, deps, liveReply } = context;
  const ended = AbortSignal.any([over, scope.asking]);
  while (!ended.aborted) {
    await deps.clock.wait(WATCH_EVERY_MS, ended).catch(() => undefined);
    if (ended.aborted) return;
    const lost = await lossIn(() => checkSignIn(context, ended));
    const loss = lost ?? (await lossIn(() => checkOwn(context, resolved)));
    if (loss === undefined || ended.aborted) continue;
    liveReply.emit('trouble', { code: loss.code, cause: loss.message });
    const kind = loss.code === 'access-denied' ? 'locked-out' : 'signed-out';
    scope.interrupt({ kind: lost === undefined ? kind : 'not-accepted' });
  }
}

/** Codes that end an answer, because the asker lost their account, or because the account can no longer be checked. */
const LOST: ReadonlySet<string> = new Set(['access-denied', 'sign-in-needed']);

/**
 * Resolves with the error that says what the asker lost, or with undefined. If the platform, the provider or the store
 * cannot be asked, resolves with undefined, and the next check asks again.
 */
async function lossIn(check: () => Promise<void>): Promise<BridgeError | undefined> {
  try {
    await check();
    return undefined;
  } catch (thrown) {
    const error = asBridgeError(thrown);
    return LOST.has(error.code) ? error : undefined;
  }
}

/** Throws `access-denied` or `sign-in-needed` if the asker lost their account. */
async function checkOwn(context: TurnContext, resolved: ResolvedAgent): Promise<void> {
  if (resolved.own === undefined) return;
  if (!needsAskerToken(context, resolved.agent)) await checkMapping(context, resolved);
  await checkAccount(context, resolved);
}

/** Throws `access-denied` if the operator's accounts and the links no longer give the asker this account. */
async function checkMapping(context: TurnContext, resolved: ResolvedAgent): Promise<void> {
  const { own } = await identityFor(context, resolved.agent);
  if (own !== resolved.own)
    throw new BridgeError('access-denied', `The person no longer has the account "${resolved.own}".`);
}
