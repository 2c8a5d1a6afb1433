/** The commands with which people connect themselves to a platform account: `link` and `unlink`. */

import { asBridgeError } from '../../errors.ts';
import type { CodeResult } from '../stores/account-links.ts';
import { actIn } from '../stores/audit.ts';
import { words } from '../words.ts';
import type { CommandContext } from './context.ts';
import type { Command } from './reading.ts';

/**
 * Gives a person without an account a one-time code, or takes a code from a person with an account. Codes are shown in
 * private only, and both people must be members or guests.
 */
export async function link(
  { code, isConfirmed }: Extract<Command, { name: 'link' }>,
  context: CommandContext,
): Promise<string> {
  const { links, thread, person, mapped } = context;
  if (links === undefined) return words.linking.off;
  if (person.standing !== 'member' && person.standing !== 'guest') return words.linking.notYou;
  if (thread.kind !== 'direct') return words.linking.inPrivate;
  if (code !== undefined) return useCode(code, isConfirmed, context);
  if (mapped !== undefined) return words.linking.hasAccount(mapped);
  return words.linking.code(await links.begin(person, thread));
}

async function useCode(code: string, isConfirmed: boolean, context: CommandContext): Promise<string> {
  const { links, thread, person, mapped, agent, signal } = context;
  if (links === undefined) return words.linking.off;
  if (mapped === undefined) return words.linking.needsAccount;
  if (!isConfirmed) return answerTo(await links.show(code, person, thread), { account: mapped, code });
  try {
    await agent.gateway.admit?.(mapped, signal);
  } catch (thrown) {
    signal.throwIfAborted();
    return words.linking.unchecked(asBridgeError(thrown).code);
  }
  const result = await links.confirm(code, mapped, person, thread);
  const detail =
    result.kind === 'linked'
      ? `${result.claimant.channel}/${result.claimant.tenant}/${result.claimant.person}`
      : result.kind;
  const outcome = result.kind === 'linked' ? 'done' : 'refused';
  await context.noteAct({ ...actIn(thread, person), action: 'link', outcome, account: mapped, detail });
  return answerTo(result, { account: mapped, code, days: links.days });
}

interface Shown {
  readonly account: string;
  readonly code: string;
  readonly days?: number;
}

function answerTo(result: CodeResult, { account, code, days = 0 }: Shown): string {
  switch (result.kind) {
    case 'shown':
      return words.linking.confirm(result.claimant, account, code);
    case 'linked':
      return words.linking.done(result.claimant, account, days);
    case 'wrong':
      return words.linking.wrong;
    case 'blocked':
      return words.linking.blocked;
    case 'same-workspace':
      return words.linking.sameWorkspace;
    case 'taken':
      return words.linking.taken;
  }
}

export async function unlink({ links, person, thread, noteAct }: CommandContext): Promise<string> {
  if (links === undefined) return words.linking.off;
  if (!(await links.unlink(person, thread))) return words.linking.nothing;
  await noteAct({ ...actIn(thread, person), action: 'link', outcome: 'done', detail: 'unlink' });
  return words.linking.ended;
}
