import { createTerminal } from '../../../adapters/terminal/index.ts';
import type { TurnId } from '../../../src/kit/ladder.ts';
import { type ReplyDocument, turnId } from '../../../src/kit.ts';
import { channelContract } from '../../contract/channel-contract.ts';
import { turn } from '../../fakes/samples.ts';

const whole = ({ text, state, steps }: ReplyDocument): string => JSON.stringify({ text, state, steps });
let turns = 0;

channelContract('The terminal', async () => {
  const newest = new Map<TurnId, ReplyDocument>();
  const { adapter } = createTerminal((id, document) => newest.set(id, document));
  return {
    ask: async () => turn({ id: turnId(`turn-${++turns}`) }),
    writer: adapter.writer,
    shown: async ({ id }) =>
      [...newest].filter(([shown]) => shown === id).map(([, document]) => whole(document)),
    expected: whole,
    keepsWhatItShowed: true,
    close: async () => undefined,
  };
});
