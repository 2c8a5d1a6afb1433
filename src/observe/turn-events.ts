import type { Log } from '../core/log.ts';
import type { CoreEvent, TurnEvents } from '../core/turn-events.ts';

/** Passes each event to every receiver; one that throws stops neither the others nor the core. */
export function everyTurnEvents(receivers: readonly TurnEvents[], log: Log): TurnEvents {
  const tell = (how: (turnEvents: TurnEvents) => void): void => {
    for (const turnEvents of receivers) {
      try {
        how(turnEvents);
      } catch (err) {
        log.error({ err }, 'a receiver of turn events failed');
      }
    }
  };
  return {
    record: (event) => tell((turnEvents) => turnEvents.record(event)),
    trouble: (error, at) => tell((turnEvents) => turnEvents.trouble(error, at)),
  };
}

/** What is worth a line at the usual level; the rest is for debugging. */
const USUAL: ReadonlySet<CoreEvent['name']> = new Set([
  'kept',
  'claimed',
  'interrupted',
  'released',
  'settled',
]);

/** Every line of a turn carries its id as `turn`, from message to reply. Never message text. */
export function logTurnEvents(log: Log): TurnEvents {
  return {
    record({ turn, name, detail }) {
      const facts = { turn, event: name, ...detail };
      if (name === 'trouble') return log.warn(facts, 'turn: trouble');
      if (name === 'move' && detail.outcome !== 'done') return log.warn(facts, 'turn: a call was not done');
      return USUAL.has(name) ? log.info(facts, `turn: ${name}`) : log.debug(facts, `turn: ${name}`);
    },
    trouble: (err) => log.error({ code: err.code, err }, err.message),
  };
}
