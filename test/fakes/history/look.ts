/** Fingerprints of what people see of a message, and whether a call changed it. */

import { createHash } from 'node:crypto';
import { doingOf, shows } from './doing.ts';
import type { Called, Shown, Version } from './kept.ts';

/** Properties of buttons and cards that the channel does not display. */
const HIDDEN = new Set(['data', 'action_id', 'block_id', 'value']);
const LENGTH = 12;

/** @param content the texts, blocks and cards of a message */
export const lookOf = (content: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify(content, (name, value: unknown) => (HIDDEN.has(name) ? undefined : value)) ?? '')
    .digest('hex')
    .slice(0, LENGTH);

/** True if people saw something new after the call. An edit that repeats what the message shows is not visible. */
export function isVisible(call: Called, messages: readonly Shown[]): boolean {
  if (!call.ok || !shows(call.method)) return false;
  if (doingOf(call.method) !== 'edits') return true;
  const message = messages.find(
    ({ ts, team, channel }) => ts === call.ts && team === call.team && channel === call.channel,
  );
  if (message === undefined) return true;
  const at = message.versions.findIndex(({ until }) => until >= call.at);
  const before = message.versions[at];
  return before === undefined || differ(before, message.versions[at + 1] ?? stateOf(message));
}

type State = Omit<Version, 'until'>;

const stateOf = ({ words, isNotice: notice, look }: Shown): State => ({
  words,
  notice,
  ...(look !== undefined && { look }),
});

const differ = (one: State, other: State): boolean =>
  one.words !== other.words || one.notice !== other.notice || one.look !== other.look;
