/** A reply being written: holds the latest document and lets the pacer bring the screen up to date. */

import { createLatest } from '../pacing/latest.ts';
import { pace } from '../pacing/pace.ts';
import type { ReplyDocument } from '../reply.ts';
import type { Move, Outcome, Screen } from '../screen.ts';
import type { Claim } from '../stores/inbox.ts';
import type { CoreEvent } from '../turn-events.ts';
import type { TurnDeps } from './deps.ts';
import { firstDocument, letEarlierArrive } from './opening.ts';
import { createRecorder, type Recorder } from './recorder.ts';
import type { TurnScope } from './scope.ts';

export interface LiveReply {
  document(): ReplyDocument;
  update(next: (document: ReplyDocument) => ReplyDocument): void;
  readonly recorder: Recorder;
  /** Resolves once the agent may be asked. The reply shows nothing before then. */
  readonly begun: Promise<void>;
  emit(name: CoreEvent['name'], detail?: CoreEvent['detail']): void;
  /** No more changes: resolves when the screen shows the whole document. Throws as `pace` does. */
  end(): Promise<void>;
  /** Leaves the screen as it is, for the next process, once the call in flight has ended. */
  leave(): Promise<void>;
}

/** @param first what the screen is to show at first */
export function openLiveReply(
  claim: Claim,
  scope: TurnScope,
  deps: TurnDeps,
  first: ReplyDocument = firstDocument(claim),
): LiveReply {
  const { turn } = claim;
  const { channel, tenant, room, key, kind } = turn.message.thread;
  const emit: LiveReply['emit'] = (name, detail = {}) =>
    deps.turnEvents.record({ turn: turn.id, at: deps.clock.now(), name, detail });

  const latest = createLatest(first);
  const recorder = createRecorder({
    claim,
    inbox: deps.inbox,
    lost: () => scope.interrupt({ kind: 'lost' }),
    failed: ({ code }) => emit('trouble', { code, what: 'checkpoint' }),
  });
  const adapter = deps.adapter(channel);
  const writer = adapter.writer(turn);
  const left = new AbortController();
  const begun = letEarlierArrive(turn, {
    ordered: adapter.abilities.lookup === undefined,
    clock: deps.clock,
    signal: scope.asking,
  });
  const paced = {
    reply: turn.id,
    tenant,
    room,
    // Only rooms are divided into threads; a chat is one conversation, whatever runs in it.
    ...(kind === 'room' && { thread: JSON.stringify([room, key]) }),
    writer,
    budgets: deps.budgets(channel),
    clock: deps.clock,
    signal: scope.showing,
    halt: left.signal,
    record: recorder.recordShown,
    moved(move: Move, outcome: Outcome) {
      emit('move', detailOf(move, outcome));
      if (outcome.kind === 'refused' && outcome.why === 'gone') scope.interrupt({ kind: 'gone' });
    },
  };
  const pacing = begun.then(() => pace(latest, screenOf(claim, writer), paced));
  // `end` passes the failure on; until then it must not count as unhandled.
  pacing.catch(() => undefined);

  return {
    document: latest.get,
    update: (next) => latest.set(next(latest.get())),
    recorder,
    begun,
    emit,
    async end() {
      latest.close();
      await pacing.finally(() => deps.budgets(channel).free(turn.id));
    },
    async leave() {
      left.abort();
      await pacing.catch(() => undefined);
      deps.budgets(channel).free(turn.id);
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
