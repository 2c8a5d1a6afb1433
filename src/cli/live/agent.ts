/** The agent of a live check. The first word of a question decides what it answers, so that the acts know the answer. */

import type { AgentEvent, AgentFunction, AgentQuestion } from '../../agents/function-agent.ts';
import type { Clock } from '../../core/clock.ts';
import { LAST_WORD, LONG_WORDS, numbered } from '../../kit/live-rows.ts';

/** A red square of 16 by 16 pixels (PNG). */
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAAAFklEQVR42mM4o6REEmIY1TCqYfhqAABFfxAQTX2wewAAAABJRU5ErkJggg==',
  'base64',
);

/** Words of the slow answers and milliseconds between them: `count` takes 15 s, `forever` two minutes. */
const SLOW = { count: 30, forever: 240 };
const SLOW_MS = 500;

const answers: Readonly<Record<string, readonly (string | AgentEvent)[]>> = {
  table: ['| Room | Seats |\n| --- | ---: |\n| Oak | 12 |\n| Elm | 8 |\n\nTwo rooms.'],
  code: ['Run this:\n\n```ts\nconst seats: number = 12;\n```\n\nDone.'],
  long: [...paragraphs()],
  picture: ['Here is a picture.', { media: { name: 'square.png', bytes: PICTURE } }],
  attachment: [
    'Here is a file.',
    { media: { name: 'handbook.pdf', url: 'https://example.com/handbook.pdf' } },
  ],
  documents: [
    {
      source: { title: 'Handbook', url: 'https://example.com/handbook', text: 'A pass is valid for a day.' },
    },
    { source: { title: 'Guide', url: 'https://example.com/guide', text: 'Ask at the desk.' } },
    'A pass is valid for a day [1]. Ask at the desk [2].',
  ],
  more: ['Ask on.', { suggestion: 'hello from a button' }],
  marks: ['Nobody is called by <!here>, <!channel> or @here.'],
  letters: ['Zürich, 東京, Ωmega, 👩‍👩‍👧 and e\u0301.'],
  steps: [{ step: { name: 'Search the handbook', state: 'done' } }, 'Two steps led here.'],
};

function* paragraphs(): Iterable<string> {
  for (let first = 0; first < LONG_WORDS; first += 100) {
    const words = Array.from({ length: 100 }, (_, index) => numbered(first + index));
    yield `${words.join(' ')}\n\n`;
  }
}

export function scriptedAgent(clock: Clock): AgentFunction {
  const failed = new Set<string>();
  return async function* (question, { signal, thread }) {
    const word = /^\s*(\w+)/.exec(question.text)?.[1]?.toLowerCase() ?? '';
    if (word === 'count' || word === 'forever') {
      for (let index = 0; index < SLOW[word]; index++) {
        yield `${numbered(index)} `;
        await clock.wait(SLOW_MS, signal);
      }
      yield LAST_WORD;
      return;
    }
    if (word === 'fail' && !failed.has(thread.key)) {
      failed.add(thread.key);
      yield 'This answer breaks. ';
      throw new Error('The scripted agent fails once, as the question asks.');
    }
    yield* answers[word] ?? [summary(question)];
  };
}

/** Says what reached the agent, so that an act can read it in the chat. */
const summary = ({ text, images, files, history }: AgentQuestion): string =>
  `You wrote: ${text}\n\nI got ${images.length} images, ${files.length} files and ${history.length} earlier questions.`;
