import type { Finding } from '../../core/agents/agent.ts';
import { asBridgeError, type ErrorCode } from '../../errors.ts';
import { unavailable } from '../media/fetch.ts';
import { within } from '../wiring.ts';
import { type AgentContext, agentAuthority } from './agent-context.ts';

/** Returns the finding of `doctor` about an agent: whether its sign-in works. */
export async function checkAgent(context: AgentContext, outer: AbortSignal): Promise<readonly Finding[]> {
  const { clock, timeouts } = context.wiring;
  const late = within(clock, timeouts.callMs, outer, () => unavailable('check took too long'));
  try {
    return [await signInWorks(context, late.signal)];
  } finally {
    late.stop();
  }
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
