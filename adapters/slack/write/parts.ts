/** What the calls of a reply share: the parts they are made with, our mark on messages, and what answers mean. */

import type { AdapterHost, Outcome, Turn } from '../../../src/kit.ts';
import type { Answer, Sender } from '../api/sender.ts';
import { tsOf } from '../ids.ts';
import { type Plain, text } from '../json.ts';
import type { Workspaces } from '../receive/workspace.ts';

export interface WriterParts {
  readonly sender: Sender;
  readonly workspaces: Workspaces;
  readonly host: Pick<AdapterHost, 'agents' | 'openMedia'>;
  /** Where Slack's methods are, where it is not Slack itself. */
  readonly apiUrl?: string | undefined;
  /** "AI-generated, check it" under every answer. */
  readonly footer: boolean;
}

export interface Performing {
  readonly turn: Turn;
  readonly parts: WriterParts;
  readonly signal: AbortSignal;
}

/** What an answer means to the screen. A stream that is open where none may be is told as `not-live`, too. */
export function outcomeOf(answer: Answer): Outcome {
  if (answer.kind === 'unknown') return { kind: 'unknown' };
  if (answer.kind === 'done') {
    const id = text(answer.body.ts);
    return { kind: 'done', ...(id !== undefined && { id }) };
  }
  const { why, retryAfterMs } = answer;
  if (why === 'rate') return { kind: 'refused', why, ...(retryAfterMs !== undefined && { retryAfterMs }) };
  if (why === 'live') return { kind: 'refused', why: 'not-live' };
  return { kind: 'refused', why: why === 'unsupported' ? 'invalid' : why };
}

/** By which a message of ours is found again. */
export const MARK = 'parley_reply';

export function mark({ id }: Turn, index: number): Plain {
  return { event_type: MARK, event_payload: { turn: id, part: index } };
}

/** The question's time stamp, where it is a message of Slack. */
export function askedAt({ message }: Turn): string | undefined {
  const ts = tsOf(message.id);
  return /^\d+\.\d+$/.test(ts) ? ts : undefined;
}
