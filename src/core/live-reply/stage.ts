/** One turn's reply in the making: its newest document, moved to the screen by the pacer while it grows. */

import { createLatest } from '../pacing/latest.ts';
import { pace } from '../pacing/pace.ts';
import type { ReplyDocument } from '../reply.ts';
import type { Move, Outcome, Screen } from '../screen.ts';
import type { Claim } from '../stores/inbox.ts';
import type { CoreEvent } from '../witness.ts';
import { firstDocument, letEarlierArrive } from './opening.ts';
import type { TurnParts } from './parts.ts';
import { createRecorder, type Recorder } from './recorder.ts';
import type { TurnScope } from './scope.ts';

export interface Stage {
  document(): ReplyDocument;
  update(next: (document: ReplyDocument) => ReplyDocument): void;
  readonly recorder: Recorder;
  /** Resolves once the agent may be asked. The reply shows nothing before then. */
  readonly begun: Promise<void>;
  see(name: CoreEvent['name'], detail?: CoreEvent['detail']): void;
  /** No more changes: resolves when the screen shows the whole document. Throws as `pace` does. */
  end(): Promise<void>;
  /** Leaves the screen as it is, for the next process, once the call in flight has ended. */
  leave(): Promise<void>;
}

/** @param first what the screen is to show at first */
export function openStage(
  claim: Claim,
  scope: TurnScope,
  parts: TurnParts,
  first: ReplyDocument = firstDocument(claim),
): Stage {
  const { turn } = claim;
  const { channel, tenant, room, key, kind } = turn.message.thread;
  const see: Stage['see'] = (name, detail = {}) =>
    parts.witness.see({ turn: turn.id, at: parts.clock.now(), name, detail });

  const latest = createLatest(first);
  const recorder = createRecorder({
    claim,
    inbox: parts.inbox,
    lost: () => scope.interrupt({ kind: 'lost' }),
    failed: ({ code }) => see('trouble', { code, what: 'checkpoint' }),
  });
  const adapter = parts.adapter(channel);
  const writer = adapter.writer(turn);
  const left = new AbortController();
  const begun = letEarlierArrive(turn, {
    ordered: adapter.abilities.lookup === undefined,
    clock: parts.clock,
    signal: scope.asking,
  });
  const paced = {
    reply: turn.id,
    tenant,
    room,
    // Only rooms are divided into threads; a chat is one conversation, whatever runs in it.
    ...(kind === 'room' && { thread: JSON.stringify([room, key]) }),
    writer,
    budgets: parts.budgets(channel),
    clock: parts.clock,
    signal: scope.showing,
    halt: left.signal,
    record: recorder.recordShown,
    moved(move: Move, outcome: Outcome) {
      see('move', detailOf(move, outcome));
      if (outcome.kind === 'refused' && outcome.why === 'gone') scope.interrupt({ kind: 'gone' });
    },
  };
  const pacing = begun.then(() => pace(latest, screenOf(claim, writer), paced));
  // Whoever ends the stage sees the failure; until then it must not count as unhandled.
  pacing.catch(() => undefined);

  return {
    document: latest.get,
    update: (next) => latest.set(next(latest.get())),
    recorder,
    begun,
    see,
    async end() {
      latest.close();
      await pacing.finally(() => parts.budgets(channel).free(turn.id));
    },
    async leave() {
      left.abort();
      await pacing.catch(() => undefined);
      parts.budgets(channel).free(turn.id);
    },
  };
}

function screenOf({ turn }: Claim, writer: { blank(): Screen; resume(screen: Screen): Screen }): Screen {
  return turn.screen === undefined ? writer.blank() : writer.resume(turn.screen);
}

function detailOf(move: Move, outcome: Outcome): CoreEvent['detail'] {
  const why = outcome.kind === 'refused' ? { why: outcome.why } : {};
  return { family: move.family, essential: move.essential, outcome: outcome.kind, ...why };
}
