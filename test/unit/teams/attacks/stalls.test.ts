/** Tests attack S22 on the functions that read activities: none blocks the process, and malformed ones do no harm. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mentionsBridge } from '../../../../adapters/teams/inbound/intake.ts';
import { verdictOf } from '../../../../adapters/teams/interactions/feedback.ts';
import { readBearer } from '../../../../adapters/teams/receive/bearer.ts';
import { decodeActivity } from '../../../../adapters/teams/receive/decode.ts';
import { plainOf } from '../../../../adapters/teams/receive/html.ts';
import { refusalOf } from '../../../../adapters/teams/receive/http.ts';
import { isPlain } from '../../../../src/kit/json.ts';
import { cpuMs } from '../../../fakes/cost.ts';

/** More characters than a body may have. */
const CHARS = 1_000_000;
/**
 * Maximum CPU time in milliseconds: far more than needed, and far less than a pattern with quadratic backtracking would
 * take.
 */
const AT_MOST_MS = 1_000;

const runs = [
  '<',
  '<p ',
  '<at>',
  '&',
  '&amp',
  '<blockquote',
  ' ',
  '\n',
  '"',
  '<attachment id="',
  '@',
  'a',
  '&#9',
];
const long = (piece: string): string => piece.repeat(Math.ceil(CHARS / piece.length));

const activity = (changes: object) => ({
  type: 'message',
  id: '1',
  serviceUrl: 'https://smba.trafficmanager.net/emea/',
  channelId: 'msteams',
  conversation: { id: 'a:1', conversationType: 'personal', tenantId: 't' },
  recipient: { id: '28:bot' },
  from: { id: '29:1' },
  ...changes,
});

test.each(runs)('S22: a long run of %j is read in linear time', (piece) => {
  const text = long(piece);
  const mention = (nth: number) => ({
    type: 'mention',
    text: `${piece}${nth}`,
    mentioned: { id: `29:${nth}` },
  });
  const html = { contentType: 'text/html', content: `<blockquote schema.skype.com/Reply>${text}` };
  const entities = Array.from({ length: 1_000 }, (_, nth) => mention(nth));
  const cost = cpuMs(() => {
    const event = decodeActivity(activity({ text, entities, attachments: [html] }));
    if (event?.kind !== 'said') throw new Error('not decoded');
    mentionsBridge(event.message);
    plainOf(text);
    readBearer(`Bearer ${text}`);
  });
  expect(cost).toBeLessThan(AT_MOST_MS);
});

test('S22: names that contain each other’s marks are replaced once', () => {
  const mark = (nth: number) => `<at>${nth}</at>`;
  const entities = Array.from({ length: 50 }, (_, nth) => ({
    type: 'mention',
    text: mark(nth),
    mentioned: { id: `29:${nth}`, name: mark(nth + 1).repeat(2) },
  }));
  const event = decodeActivity(activity({ text: mark(0), entities }));
  if (event?.kind !== 'said') throw new Error('not decoded');
  expect(event.message.text).toBe(`@${mark(1).repeat(2)}`);
});

test('S22: a text in which a long name replaces every letter is cut off at a maximum length', () => {
  const entities = [{ type: 'mention', text: 'a', mentioned: { id: '29:1', name: long('x') } }];
  const event = decodeActivity(activity({ text: long('a'), entities }));
  if (event?.kind !== 'said') throw new Error('not decoded');
  expect(event.message.text.length).toBeLessThan(50 * CHARS);
});

test('S22: names of object members, such as constructor, are neither places nor verdicts', () => {
  const conversation = { id: 'a:1', conversationType: 'constructor', tenantId: 't' };
  const event = decodeActivity(activity({ text: 'x', conversation }));
  expect(event).toMatchObject({ message: { place: { kind: 'direct' } } });
  expect(verdictOf({ added: ['constructor', 'toString'], removed: ['valueOf'] })).toBeUndefined();
});

const anything = fc.jsonValue({ maxDepth: 4 });
const member = fc.constantFrom(
  ...['type', 'id', 'text', 'entities', 'attachments', 'channelData', 'conversation', 'from', 'recipient'],
  ...['replyToId', 'reactionsAdded', 'membersRemoved', 'action', 'name', 'value', 'timestamp', 'locale'],
);
const types = fc.constantFrom(
  ...['message', 'messageUpdate', 'messageDelete', 'messageReaction', 'installationUpdate'],
  ...['conversationUpdate', 'invoke', 'typing', 'event'],
);

test('S22: an activity of any form is decoded or ignored, and never throws', () => {
  fc.assert(
    fc.property(types, fc.dictionary(member, anything), (type, changes) => {
      const given: unknown = JSON.parse(JSON.stringify(activity({ ...changes, type })));
      if (!isPlain(given)) return;
      decodeActivity(given);
      refusalOf(given, { serviceUrl: 'https://smba.trafficmanager.net/emea/' }, 't');
    }),
    { numRuns: 2_000 },
  );
});

test('S22: a header of any form is refused, or gives a token with all parts', () => {
  const part = fc.oneof(
    fc.string(),
    anything.map((value) => Buffer.from(JSON.stringify(value) ?? '').toString('base64url')),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 4 }), (parts) => {
      expect(readBearer(`Bearer ${parts.join('.')}`)).toBeUndefined();
    }),
    { numRuns: 2_000 },
  );
});
