import type { Log } from '../core/log.ts';
import type { CoreEvent, Witness } from '../core/witness.ts';

/** Tells every witness; one that throws does not keep the others, nor the core, from going on. */
export function everyWitness(witnesses: readonly Witness[], log: Log): Witness {
  const tell = (how: (witness: Witness) => void): void => {
    for (const witness of witnesses) {
      try {
        how(witness);
      } catch (err) {
        log.error({ err }, 'a witness failed');
      }
    }
  };
  return {
    see: (event) => tell((witness) => witness.see(event)),
    trouble: (error, at) => tell((witness) => witness.trouble(error, at)),
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
export function logWitness(log: Log): Witness {
  return {
    see({ turn, name, detail }) {
      const facts = { turn, event: name, ...detail };
      if (name === 'trouble') return log.warn(facts, 'turn: trouble');
      if (name === 'move' && detail.outcome !== 'done') return log.warn(facts, 'turn: a call was not done');
      return USUAL.has(name) ? log.info(facts, `turn: ${name}`) : log.debug(facts, `turn: ${name}`);
    },
    trouble: (err) => log.error({ code: err.code, err }, err.message),
  };
}
