/** Random reply documents with hostile text in every property that channels show. */

import fc from 'fast-check';
import { agentName } from '../../../../src/kit/ladder.ts';
import { type ReplyDocument, turnId } from '../../../../src/kit.ts';
import { anything } from './hostile.ts';

const id = fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 8 });
/** An address of a web page. `fc.webUrl` takes a second to prepare. */
export const webAddress = fc
  .tuple(fc.domain(), fc.string({ unit: 'grapheme-ascii' }))
  .map(([host, path]) => `https://${host}/${encodeURI(path)}`);
const address = fc.oneof(webAddress, anything);

const media = fc.record(
  {
    id,
    kind: fc.constantFrom('image' as const, 'file' as const),
    name: anything,
    ref: fc.record({ kind: fc.constant('file-id' as const), id }),
    link: address,
  },
  { requiredKeys: ['id', 'kind', 'name', 'ref'] },
);

const source = fc.record(
  {
    key: id,
    title: anything,
    kind: fc.constantFrom('document' as const, 'image' as const, 'QnA' as const, 'other' as const),
    mark: fc.integer({ min: 1, max: 9 }),
    link: address,
    fragments: fc.array(fc.record({ text: anything }), { maxLength: 2 }),
  },
  { requiredKeys: ['key', 'title', 'kind', 'fragments'] },
);

const step = fc.record(
  {
    id,
    name: anything,
    detail: anything,
    state: fc.constantFrom('running' as const, 'done' as const, 'failed' as const),
    elapsedMs: fc.nat(5_000),
  },
  { requiredKeys: ['id', 'name', 'state'] },
);

const notice = fc.record({
  tone: fc.constantFrom('info' as const, 'warning' as const, 'error' as const),
  text: anything,
});

export const documents: fc.Arbitrary<ReplyDocument> = fc.record(
  {
    turn: fc.constant(turnId('turn-1')),
    agent: fc.constant(agentName('knowledge')),
    version: fc.nat(9),
    state: fc.constantFrom(
      'writing' as const,
      'done' as const,
      'partial' as const,
      'failed' as const,
      'stopped' as const,
    ),
    text: fc.array(anything, { maxLength: 4 }).map((texts) => texts.join('\n\n')),
    rewrites: fc.nat(3),
    steps: fc.array(step, { maxLength: 4 }),
    media: fc.uniqueArray(media, { maxLength: 4, selector: (each) => each.id }),
    sources: fc.array(source, { maxLength: 8 }),
    suggestions: fc.array(anything, { maxLength: 5 }),
    notices: fc.array(notice, { maxLength: 2 }),
    retry: fc.boolean(),
    editions: fc.constantFrom({ shown: 2, count: 3 }, { shown: 1, count: 2 }),
  },
  {
    requiredKeys: [
      'turn',
      'version',
      'state',
      'text',
      'rewrites',
      'steps',
      'media',
      'sources',
      'suggestions',
      'notices',
      'retry',
    ],
  },
);

export const blank: ReplyDocument = {
  turn: turnId('turn-1'),
  agent: agentName('knowledge'),
  version: 1,
  state: 'done',
  text: '',
  rewrites: 0,
  steps: [],
  media: [],
  sources: [],
  suggestions: [],
  notices: [],
  retry: false,
};
