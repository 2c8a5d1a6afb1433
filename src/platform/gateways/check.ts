import type { Finding } from '../../core/agents/agent.ts';
import { asBridgeError, type ErrorCode } from '../../errors.ts';
import { checkBase } from '../base-check.ts';
import { unavailable } from '../media/fetch.ts';
import { type Wiring, within } from '../wiring.ts';
import { type AgentContext, agentAuthority } from './agent-context.ts';

/**
 * Maximum clock difference that is not reported as a fault, in milliseconds. The platform accepts a signature for five
 * minutes (platform contract AUT-11).
 */
const MAX_SKEW_MS = 60_000;

/**
 * Returns the findings of `doctor` about an agent: whether the platform answers, its clock agrees, and the sign-in
 * works.
 */
export async function checkAgent(context: AgentContext, outer: AbortSignal): Promise<readonly Finding[]> {
  const { wiring } = context;
  const late = within(wiring.clock, wiring.timeouts.callMs, outer, () => unavailable('check took too long'));
  try {
    const reached = await reach(wiring, late.signal);
    if (reached[0]?.ok !== true) return reached;
    return [...reached, await signInWorks(context, late.signal)];
  } finally {
    late.stop();
  }
}

async function reach(wiring: Wiring, signal: AbortSignal): Promise<readonly Finding[]> {
  const what = 'platform reachable';
  const { fault, date } = await checkBase(wiring, signal);
  if (fault !== undefined) return [{ what, ok: false, detail: fault.message }];
  const there = { what, ok: true, detail: `${wiring.base.address} answers.` };
  return date === undefined ? [there] : [there, sameTime(date - wiring.clock.now())];
}

function sameTime(skewMs: number): Finding {
  const seconds = Math.round(Math.abs(skewMs) / 1000);
  const ok = Math.abs(skewMs) <= MAX_SKEW_MS;
  const detail = ok
    ? `The clocks of this machine and of the platform differ by ${seconds} s.`
    : `This machine's clock is ${seconds} s ${skewMs > 0 ? 'behind' : 'ahead of'} the platform's; at 300 s or more, the platform refuses signatures. Set the clock.`;
  return { what: 'clock', ok, detail };
}

async function signInWorks(context: AgentContext, signal: AbortSignal): Promise<Finding> {
  const what = 'sign-in';
  const { credential } = context.options;
  if (credential.kind === 'asker' && credential.elsewhere === undefined) {
    return { what, ok: true, tested: false, detail: 'not tested: each person asks with their own token.' };
  }
  const authority = agentAuthority(context, undefined);
  if (authority.kind !== 'token')
    return {
      what,
      ok: true,
      tested: false,
      detail: 'not tested: the first question shows if the API key is right.',
    };
  try {
    await authority.grants.grant(signal);
    return { what, ok: true, detail: 'The platform issued a token.' };
  } catch (error) {
    signal.throwIfAborted();
    const { code, message } = asBridgeError(error);
    const cure = CURES[code] ?? "Check the agent's credential.";
    return { what, ok: false, detail: `${message.replace(/\.$/, '')}. ${cure}` };
  }
}

/** Cures for a failed sign-in that does not mean that the credential is wrong. */
const CURES: Partial<Record<ErrorCode, string>> = {
  'platform-busy': 'Nothing needs to be changed here. Wait a few minutes, then run the command again.',
  'platform-server':
    'The platform has a fault of its own. Wait a few minutes, then run the command again, or ask its operator.',
  'platform-permission': "Ask the platform's administrator which rights the account needs.",
  'platform-protocol':
    'Something else than the platform answers. Check platform.baseUrl, and the proxy in front of the platform.',
  'platform-unreachable': 'Check platform.baseUrl, the network and its proxy.',
  'platform-timeout': 'Check the network and its proxy, or ask the operator of the platform.',
};
