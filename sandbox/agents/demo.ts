import type { Clock } from '../clock.ts';
import { Refusal } from '../http/reply.ts';
import { floorPlan } from '../knowledge/shipped.ts';
import type { Images } from '../store/images.ts';
import { type Agent, type Asked, type Pace, type Piece, say } from './agent.ts';

export interface DemoDeps extends Pace {
  readonly images: Images;
}

/** Demonstration agents that need no documents (platform contract FIX-1: demonstration agents). */
export const demoAgents = (deps: DemoDeps): Readonly<Record<string, Agent>> => ({
  echo: (asked) => say(asked.question, asked, deps),
  'image-demo': (asked) => say(describeImages(asked, deps), asked, deps),
  'media-demo': (asked) => withMedia(asked, deps),
  'slow-demo': (asked) => slowly(asked, deps.clock),
  'privacy-demo': (asked) => say(privacyText(asked), asked, deps),
  'fail-demo': (asked) => fail(asked, deps),
});

function describeImages(asked: Asked, deps: DemoDeps): string {
  if (asked.images.length === 0) {
    const fileId = deps.images.keepAnswer(floorPlan());
    return `You sent no image, so here is one of mine.\n\n![A small drawing](${fileId})\n`;
  }
  const lines = asked.images.map((image, index) => {
    const fileId = deps.images.keepAnswer(image);
    const size = `${Math.max(1, Math.round(image.bytes.length / 1024))} KB`;
    return `${index + 1}. **${image.name}** (${image.type}, ${size})\n\n![${image.name}](${fileId})\n`;
  });
  const count = lines.length === 1 ? 'one image' : `${lines.length} images`;
  return `I received ${count}:\n\n${lines.join('\n')}`;
}

async function* withMedia(asked: Asked, deps: DemoDeps): AsyncIterable<Piece> {
  yield* say(`Here is a picture and a file for “${asked.question.slice(0, 80)}”.\n`, asked, deps);
  const fileId = deps.images.keepAnswer(floorPlan());
  yield {
    type: 'media',
    medias: [
      { type: 'image', name: 'drawing.png', url: `${asked.base}/openapi/chat/media/image/${fileId}` },
      { type: 'file', name: null, url: `${asked.base}/share/#/file/handbook.pdf` },
    ],
  };
  yield { type: 'suggestions', questions: ['Show me another picture', 'What kinds of media are there?'] };
}

const SLOW_MS = 50;

async function* slowly(asked: Asked, clock: Clock): AsyncIterable<Piece> {
  const text = `I write slowly, one character at a time, so that there is time to press Stop. You asked: ${asked.question.slice(0, 500)} I have nothing more to say than this, but I say it with great patience.`;
  for (const character of text) {
    if (asked.signal.aborted) return;
    yield { type: 'text', text: character };
    await clock.sleep(SLOW_MS, asked.signal);
  }
}

const PERSONAL = /[\w.+-]+@[\w-]+\.\w+|\+?\d[\d\s().-]{6,}\d/;

/**
 * If the question contains personal data, asks for confirmation instead of answering, unless the caller has set
 * `skipHint` (platform contract CHL-13: `skip_hint`).
 */
function privacyText(asked: Asked): string {
  const { length } = asked.question;
  if (!PERSONAL.test(asked.question))
    return `Thank you. I read your question of ${length} characters and found no personal data in it.`;
  return asked.skipHint
    ? `Thank you. I read your question of ${length} characters with the personal data that you chose to send.`
    : 'Your question seems to hold personal data (an e-mail address or a phone number). Please confirm that you want to send it, or ask again without it.';
}

async function* fail(asked: Asked, pace: Pace): AsyncIterable<Piece> {
  if (/\bmiddle\b/i.test(asked.question)) {
    yield* say('This answer begins well and then it breaks ', asked, pace);
    throw new Refusal(200, 50001, 'The agent failed in the middle of its answer.');
  }
  if (/\binstead\b/i.test(asked.question)) {
    throw new Refusal(200, 50001, 'The agent answers with an error instead of a stream.');
  }
  if (/\bbefore\b/i.test(asked.question)) {
    throw new Refusal(500, 50001, 'The agent failed before its answer.');
  }
  yield* say('I fail on request: write *before*, *middle* or *instead*.', asked, pace);
}
