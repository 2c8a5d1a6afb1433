/** The commands with which people connect themselves to a platform account: `link` and `unlink`. */

import { asBridgeError } from '../../errors.ts';
import { gatewayOfMain } from '../agents/routing.ts';
import type { AccountLinks, CodeAnswer, CodeResult, ProvenPerson } from '../stores/account-links.ts';
import { actIn } from '../stores/audit.ts';
import { words } from '../words.ts';
import type { CommandContext } from './context.ts';
import type { Command } from './reading.ts';

/**
 * Gives a person without an account a one-time code, or takes a code from a person with an account. Codes are shown in
 * private only, and both the person who gets the code and the person who uses it must be members or guests.
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
  const begun = await links.begin(person, thread);
  return words.linking.code(begun, links.pageOf(begun));
}

async function useCode(code: string, isConfirmed: boolean, context: CommandContext): Promise<string> {
  const { links, person, thread, mapped, signal, noteAct, directory } = context;
  if (links === undefined) return words.linking.off;
  const use: CodeUse = {
    links,
    person,
    thread,
    mapped,
    signal,
    noteAct,
    admit: async (account) => gatewayOfMain(directory, context.agent)?.admit?.(account, signal),
  };
  const answer = await (isConfirmed ? confirmCode(code, use) : showCode(code, use));
  if (answer.kind === 'refused') return answer.text;
  const { claimant, account, days } = answer;
  return answer.kind === 'shown'
    ? words.linking.confirm(claimant, account, code)
    : words.linking.done(claimant, account, days);
}

/** A person who uses a code. */
export interface CodeUse extends Pick<CommandContext, 'person' | 'thread' | 'mapped' | 'signal' | 'noteAct'> {
  readonly links: AccountLinks;
  /** Rejects if the platform does not accept the account at this moment. */
  admit(account: string): Promise<void>;
}

/** Reserves the code for the person, and returns who asked for it. */
export async function showCode(code: string, use: CodeUse): Promise<CodeAnswer> {
  const { links, person, thread, mapped } = use;
  const refusal = mayNotUse(use);
  if (mapped === undefined || refusal !== undefined) return refused(refusal ?? words.linking.needsAccount);
  return answerTo(await links.show(code, person, thread), mapped, links.days);
}

/**
 * Links the person who asked for the code to the account of the person who confirms it, and adds the outcome to the
 * audit.
 */
export async function confirmCode(code: string, use: CodeUse): Promise<CodeAnswer> {
  const { links, person, thread } = use;
  return connect(use, (account) => links.confirm(code, account, person, thread));
}

/** A person in another channel who proved who they are. */
export interface Proven extends ProvenPerson {
  readonly channel: string;
  /** Display name of the channel. */
  readonly title: string;
  /** The account that the operator's table or file gives the person. */
  readonly mapped: string | undefined;
  /** Why the rules do not let the person ask; undefined if they may. */
  readonly refusal: string | undefined;
}

/** Links a proven id in another channel to the account of the person in `use`, and adds the outcome to the audit. */
export async function linkProven(proven: Proven, use: CodeUse): Promise<CodeAnswer> {
  const { channel, tenant, title, person, mapped } = proven;
  const { id, name, standing } = person;
  if (standing !== 'member' && standing !== 'guest') return refused(words.linking.notYou);
  if (proven.refusal !== undefined) return refused(proven.refusal);
  if (mapped !== undefined) return refused(words.linking.hasAccountThere(title, mapped));
  const claimant = { channel, tenant, person: id, name };
  return connect(use, (account) => use.links.linkProven(claimant, account, use.person, use.thread));
}

/** Calls `make` with the person's account, if the person has one and the platform accepts it at this moment. */
async function connect(use: CodeUse, make: (account: string) => Promise<CodeResult>): Promise<CodeAnswer> {
  const { links, person, thread, mapped, signal } = use;
  const refusal = mayNotUse(use);
  if (mapped === undefined || refusal !== undefined) return refused(refusal ?? words.linking.needsAccount);
  try {
    await use.admit(mapped);
  } catch (thrown) {
    signal.throwIfAborted();
    return refused(words.linking.unchecked(asBridgeError(thrown).code));
  }
  const result = await make(mapped);
  const detail =
    result.kind === 'linked'
      ? `${result.claimant.channel}/${result.claimant.tenant}/${result.claimant.person}`
      : result.kind;
  const outcome = result.kind === 'linked' ? 'done' : 'refused';
  await use.noteAct({ ...actIn(thread, person), action: 'link', outcome, account: mapped, detail });
  return answerTo(result, mapped, links.days);
}

const mayNotUse = ({ person }: CodeUse): string | undefined =>
  person.standing === 'member' || person.standing === 'guest' ? undefined : words.linking.notYou;

const refused = (text: string): CodeAnswer => ({ kind: 'refused', text });

function answerTo(result: CodeResult, account: string, days: number): CodeAnswer {
  switch (result.kind) {
    case 'shown':
    case 'linked':
      return { kind: result.kind, claimant: result.claimant, account, days };
    case 'wrong':
      return refused(words.linking.wrong);
    case 'blocked':
      return refused(words.linking.blocked);
    case 'same-workspace':
      return refused(words.linking.sameWorkspace);
    case 'taken':
      return refused(words.linking.taken);
  }
}

export async function unlink({ links, person, thread, noteAct }: CommandContext): Promise<string> {
  if (links === undefined) return words.linking.off;
  if (!(await links.unlink(person, thread))) return words.linking.nothing;
  await noteAct({ ...actIn(thread, person), action: 'link', outcome: 'done', detail: 'unlink' });
  return words.linking.ended;
}
