/** The laws that the writer of every channel must keep. The tests of the built-in channels run the same laws. */

import { isFinal } from '../kit.ts';
import type { OpenChannel } from './play.ts';
import { begin, type Play } from './play.ts';
import { numberedWords, type Story, wordsIn } from './story.ts';
import { expectSame, expectTrue } from './violation.ts';

export interface Law {
  /** Stable name, which reports and `--only` use. */
  readonly id: string;
  /** States what holds, as a whole sentence without its period. */
  readonly proves: string;
  /** True if the law uses `story`, which is random, so that the law must run with many stories. */
  readonly random: boolean;
  /** Set if the law does not apply to a chat that cannot change or delete messages. */
  readonly changesMessages?: true;
  run(play: Play, story: Story): Promise<void>;
}

const words = (from: number, count: number) =>
  ({ kind: 'append', text: numberedWords(from, count) }) as const;
const NOTHING = { kind: 'nothing' } as const;
/** Number of words in a long answer, which needs more than one message in most chats. */
const LONG = 2_000;
/** Number of words in one event. A paragraph has four times as many. */
const SOME = 16;

export const laws: readonly Law[] = [
  {
    id: 'ladder.last-document',
    proves: 'A reply shows its last document, whatever happens to its calls',
    random: true,
    async run(play, { steps, ending }) {
      await think(play);
      for (const step of steps) await play.take(step);
      await play.conclude(ending);
    },
  },
  {
    id: 'ladder.newest-document',
    proves:
      'After many changes without a call, a reply shows its newest document with at most one call per message plus one',
    random: true,
    async run(play, { steps }) {
      for (const { change } of steps) play.change(change);
      await play.conclude();
      const { keepsWhatItShowed } = play.channel;
      const messages = keepsWhatItShowed ? (await play.shown()).length : play.screen.parts.length;
      const most = messages + 1;
      expectTrue('The reply needs too many calls.', play.moves <= most, `at most ${most}`, play.moves);
    },
  },
  {
    id: 'ladder.repeated-call',
    proves: 'A call that is repeated because the response was lost shows nothing twice',
    random: true,
    async run(play, { steps }) {
      for (const { change } of steps) {
        play.change(change);
        await play.take({ change: NOTHING, outcome: 'hidden' });
      }
      await play.conclude('done');
    },
  },
  {
    id: 'ladder.long-answer',
    proves: `An answer of ${LONG} words is shown whole and in order`,
    random: false,
    async run(play) {
      for (let from = 0; from < LONG; from += LONG / 4) {
        play.change(words(from, LONG / 4));
        await play.converge();
      }
      await play.conclude('done');
    },
  },
  {
    id: 'ladder.keeps-words',
    proves: 'Words that people saw do not disappear while a long answer grows',
    random: false,
    async run(play) {
      let seen = 0;
      for (let from = 0; from < LONG && play.screen.parts.length < 2; from += SOME) {
        const end = (from / SOME) % 4 === 3 ? '\n\n' : '';
        play.change({ kind: 'append', text: numberedWords(from, SOME) + end });
        for (let move = play.next(); move !== undefined; move = play.next()) {
          await play.make(move);
          const found = wordsIn((await play.shown()).join('')).length;
          expectTrue('A call removed words that were shown.', found >= seen, `at least ${seen}`, found);
          seen = found;
        }
      }
    },
  },
  {
    id: 'ladder.finished',
    proves: 'A finished reply needs no call, unless another process takes it over',
    random: false,
    async run(play) {
      play.change(words(1, 3));
      play.end('done');
      await play.converge();
      expectSame('A finished screen still needs a call.', play.next(), undefined);
      play.takeOver();
      expectSame(
        '"resume" returned a finished screen, but a reply that is taken over must be checked first.',
        play.screen.finished,
        false,
      );
      await play.conclude();
    },
  },
  {
    id: 'ladder.next-version',
    proves: 'Another version replaces a finished answer, and their texts are never mixed',
    random: true,
    changesMessages: true,
    async run(play, { steps }) {
      for (const { change } of steps) play.change(change);
      play.end('done');
      await play.converge();
      play.takeOver();
      play.beginVersion();
      play.change(words(5_000, 60));
      await play.conclude('done');
    },
  },
  {
    id: 'ladder.late-sources',
    proves: 'Sources that arrive after the end of a finished answer are shown with an essential call',
    random: false,
    async run(play) {
      play.change(words(1, 3));
      play.end('done');
      await play.converge();
      const title = 'A source that arrived late';
      play.set({ sources: [{ key: 's', title, kind: 'document', fragments: [] }] });
      const move = play.next();
      expectTrue(
        'The change came after the end of the reply, and the call that shows it is missing or not essential.',
        move?.essential === true,
        'essential: true',
        move,
      );
      await play.conclude();
    },
  },
  {
    id: 'ladder.gone',
    proves: 'After the chat says that the reply is gone, there is no further call',
    random: false,
    async run(play) {
      await play.take({ change: words(1, 2), outcome: 'done' });
      play.change(words(3, 2));
      play.settle({ kind: 'refused', why: 'gone' });
      expectSame('A reply that is gone still needs a call.', play.next(), undefined);
    },
  },
  {
    id: 'ladder.withdrawn',
    proves: 'When the question is deleted, all messages of its reply are deleted',
    random: true,
    changesMessages: true,
    async run(play, { steps }) {
      for (const step of steps) await play.take(step);
      play.end('withdrawn');
      await play.comeToRest();
      expectSame('Some messages of the reply were not deleted.', await play.shown(), []);
      expectSame('The screen still has parts.', play.screen.parts, []);
    },
  },
  {
    id: 'ladder.essential',
    proves: 'The call that ends a reply is essential',
    random: false,
    async run(play) {
      await play.take({ change: words(1, 2), outcome: 'done' });
      play.end('done');
      const move = play.next();
      expectTrue(
        'The last call is missing or not essential.',
        move?.essential === true,
        'essential: true',
        move,
      );
    },
  },
  {
    id: 'takeover.same-messages',
    proves: 'Another process continues a reply from its stored screen, in the same messages',
    random: true,
    async run(play, { steps }) {
      for (const step of steps) await play.take({ ...step, outcome: 'done' });
      const before = play.screen.parts.map(({ id }) => id);
      play.takeOver();
      await play.conclude('partial');
      const after = play.screen.parts.map(({ id }) => id).slice(0, before.length);
      expectSame('The reply continues in other messages.', after, before);
    },
  },
  {
    id: 'takeover.same-version',
    proves:
      'After a takeover, the end is shown even if its document has the same version as the last shown document',
    random: false,
    async run(play) {
      for (const from of [1, 4, 7]) {
        play.change(words(from, 3));
        await play.comeToRest();
      }
      play.change(words(10, 3));
      play.end('done');
      play.takeOver();
      await play.conclude();
    },
  },
  {
    id: 'takeover.crash',
    proves:
      'A reply survives crashes between a call and the response to it: no text is lost, none is shown twice',
    random: true,
    async run(play, { steps, ending }) {
      for (const [at, step] of steps.entries())
        await play.take({ ...step, outcome: at % 2 === 0 ? 'crash' : 'done' });
      await play.conclude(ending);
    },
  },
];

/** Makes the calls that show the reply while the agent is thinking. */
async function think(play: Play): Promise<void> {
  if (!isFinal(play.document)) await play.comeToRest();
}

/** Runs one law with a new reply in the channel. */
export async function keep(law: Law, channel: OpenChannel, story: Story): Promise<void> {
  const play = await begin(channel);
  if (law.changesMessages && channel.keepsWhatItShowed) return;
  await law.run(play, story);
}
