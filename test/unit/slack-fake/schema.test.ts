/** Tests that the fake Slack checks arguments against Slack's own types. */

import { expect, test } from 'vitest';
import { methods } from '../../fakes/slack/methods/index.ts';
import { bodyHash, sources } from '../../fakes/slack/schema/make.ts';
import { faultsOf, readSchema, schemaComment, typedMethods } from '../../fakes/slack/schema.ts';
import { call, fakeSlack } from './wire.ts';

test('the schema matches the installed types and the current script, and is unchanged', () => {
  expect(schemaComment()).toEqual({ sources: sources(), body: bodyHash(readSchema()) });
});

test('the schema covers every method', () => {
  expect(typedMethods().toSorted()).toEqual(Object.keys(methods).toSorted());
});

test('invalid arguments are refused and recorded', async () => {
  const fake = await fakeSlack();
  const channel = fake.workspace().channel();
  const answer = await call(fake, 'chat.postMessage', { channel: channel.id, text: 'x', threadTs: '1.1' });
  expect(answer).toMatchObject({
    error: 'invalid_arguments',
    response_metadata: { messages: expect.arrayContaining([expect.stringContaining('threadTs')]) },
  });
  expect(fake.log.violations).toMatchObject([{ method: 'chat.postMessage' }]);
});

test.each([
  ['chat.startStream', { channel: 'C', markdown_text: 'x' }],
  ['chat.appendStream', { channel: 'C', ts: '1.1', chunks: [{ type: 'markdown_text' }] }],
  ['chat.update', { channel: 'C', text: 'x' }],
  [
    'chat.postMessage',
    { channel: 'C', text: 'x', metadata: { event_type: 'x', event_payload: { a: null } } },
  ],
  ['views.open', { view: { type: 'modal', blocks: [] }, trigger_id: 'x' }],
  ['reactions.add', { channel: 'C', name: 'x' }],
])('%s with %o is invalid', (method, args) => {
  expect(faultsOf(method, args)).not.toEqual([]);
});
