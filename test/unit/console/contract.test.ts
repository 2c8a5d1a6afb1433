import type { ReplyView, ThreadPage } from '../../../adapters/console/wire.ts';
import { channelContract } from '../../contract/channel-contract.ts';
import { openRig, turnOf } from './rig.ts';

let turns = 0;

/** Returns the text, the state and the steps of a reply as one string, to compare all three. */
const whole = ({ text, state, steps }: Pick<ReplyView, 'text' | 'state' | 'steps'>): string =>
  JSON.stringify({ text, state, steps });

channelContract('The console', async () => {
  const rig = await openRig();
  return {
    ask: async () => {
      await rig.say('general', { text: '@knowledge a question' });
      return turnOf(rig.host.taken.at(-1), `turn-${++turns}`);
    },
    writer: (turn) => rig.adapter.writer(turn),
    shown: async ({ message }) => {
      const { room, key } = message.thread;
      const page = await rig.get<ThreadPage>(`/console/rooms/${room}/threads/${key}`);
      return page.messages.flatMap(({ reply }) => (reply ? [whole(reply)] : []));
    },
    expected: whole,
    close: rig.close,
  };
});
