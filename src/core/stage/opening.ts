/** What a claimed turn's reply shows first, before anything was done: where its earlier attempt left it. */

import { change, type ReplyDocument } from '../reply.ts';
import type { Claim } from '../stores/inbox.ts';
import { words } from '../words.ts';
import { asksAnew } from './asking-anew.ts';
import { begin, cast, finish, withdraw } from './compose.ts';

export function firstDocument({ turn, text, interruption }: Claim): ReplyDocument {
  const blank = begin(turn.id);
  if (interruption?.kind === 'withdrawn' || turn.origin.kind === 'withdraw') return withdraw(blank);
  const said = asksAnew(turn) ? change(blank, { meanwhile: words.askedAnew }) : blank;
  const named = turn.agent === undefined ? said : cast(said, turn.agent, turn.account);
  if (turn.phase === 'ending') return finish(change(named, { text }));
  return text === '' ? named : change(named, { text, state: 'writing' });
}
