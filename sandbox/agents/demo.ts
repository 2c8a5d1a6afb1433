import type { Clock } from '../clock.ts';
import { Refusal } from '../http/reply.ts';
import { floorPlan } from '../knowledge/shipped.ts';
import type { Images } from '../store/images.ts';
import { type Agent, type AgentRequest, type Pace, type Piece, say } from './agent.ts';

export interface DemoDeps extends Pace {
  readonly images: Images;
}

/** Demonstration agents that need no documents (platform contract FIX-1: demonstration agents). */
export const demoAgents = (deps: DemoDeps): Readonly<Record<string, Agent>> => ({
  echo: (request) => say(request.question, request, deps),
  'image-demo': (request) => say(describeImages(request, deps), request, deps),
  'media-demo': (request) => withMedia(request, deps),
  'slow-demo': (request) => slowly(request, deps.clock),
  'privacy-demo': (request) => say(privacyText(request), request, deps),
  'fail-demo': (request) => fail(request, deps),
});

function describeImages(request: AgentRequest, deps: DemoDeps): string {
  if (request.images.length === 0) {
    const fileId = deps.images.keepAnswer(floorPlan());
    return `You sent no image, so here is one of mine.\n\n![A small drawing](${fileId})\n`;
  }
  const lines = request.images.map((image, index) => {
    const fileId = deps.images.keepAnswer(image);
    const size = `${Math.max(1, Math.round(image.bytes.length / 1024))} KB`;
    return `${index + 1}. **${image.name}** (${image.type}, ${size})\n\n![${image.name}](${fileId})\n`;
  });
  const count = lines.length === 1 ? 'one image' : `${lines.length} images`;
  return `I received ${count}:\n\n${lines.join('\n')}`;
}

async function* withMedia(request: AgentRequest, deps: DemoDeps): AsyncIterable<Piece> {
  yield* say(`Here is a picture and a file for “${request.question.slice(0, 80)}”.\n`, request, deps);
  const fileId = deps.images.keepAnswer(floorPlan());
  yield {
    type: 'media',
    medias: [
      { type: 'image', name: 'drawing.png', url: `${request.base}/openapi/chat/media/image/${fileId}` },
      { type: 'file', name: null, url: `${request.base}/share/#/file/handbook.pdf` },
    ],
  };
  yield { type: 'suggestions', questions: ['Show me another picture', 'What kinds of media are there?'] };
}

const SLOW_MS = 50;

async function* slowly(request: AgentRequest, clock: Clock): AsyncIterable<Piece> {
  const text = `I write slowly, one character at a time, so that there is time to press Stop. You asked: ${request.question.slice(0, 500)} I have nothing more to say than this, but I say it with great patience.`;
  for (const character of text) {
    if (request.signal.aborted) return;
    yield { type: 'text', text: character };
    await clock.sleep(SLOW_MS, request.signal);
  }
}

const PERSONAL = /[\w.+-]+@[\w-]+\.\w+|\+?\d[\d\s().-]{6,}\d/;

/**
 * If the question contains personal data, asks for confirmation instead of answering, unless the caller has set
 * `skipHint` (platform contract CHL-13: `skip_hint`).
 */
function privacyText(request: AgentRequest): string {
  const { length } = request.question;
  if (!PERSONAL.test(request.question))
    return `Thank you. I read your question of ${length} characters and found no personal data in it.`;
  return request.skipHint
    ? `Thank you. I read your question of ${length} characters with the personal data that you chose to send.`
    : 'Your question seems to hold personal data (an e-mail address or a phone number). Please confirm that you want to send it, or ask again without it.';
}

async function* fail(request: AgentRequest, pace: Pace): AsyncIterable<Piece> {
  if (/\bmiddle\b/i.test(request.question)) {
    yield* say('This answer begins well and then it breaks ', request, pace);
    throw new Refusal(200, 50001, 'The agent failed in the middle of its answer.');
  }
  if (/\binstead\b/i.test(request.question)) {
    throw new Refusal(200, 50001, 'The agent answers with an error instead of a stream.');
  }
  if (/\bbefore\b/i.test(request.question)) {
    throw new Refusal(500, 50001, 'The agent failed before its answer.');
  }
  yield* say('I fail on request: write *before*, *middle* or *instead*.', request, pace);
}
