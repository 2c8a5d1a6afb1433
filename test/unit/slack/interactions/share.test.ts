/** Sharing: what the person reads after each documented refusal of Slack, and what is then posted. */

import { describe, expect, test } from 'vitest';
import type { Answer } from '../../../../adapters/slack/api/sender.ts';
import type { Interaction } from '../../../../adapters/slack/interactions/deps.ts';
import { SHARE, share } from '../../../../adapters/slack/interactions/share.ts';
import { words } from '../../../../adapters/slack/interactions/words.ts';
import { actionValue } from '../../../../adapters/slack/render/actions.ts';
import type { Act } from '../../../../src/core/stores/audit.ts';
import type { Plain } from '../../../../src/kit/json.ts';
import { person } from '../../../fakes/samples.ts';
import { documentedErrors } from '../api/documented-errors.ts';
import { documentOf, TURN } from './rig.ts';

const source = { id: 's1', kind: 'document', title: 'Manual', marks: [1], fragments: [] };
const reply = { turn: TURN, question: 'C1/1.1', room: 'C1', key: '1.1', kind: 'room' } as const;
const inPrivate = { ...reply, key: 'private-U1-act', kind: 'direct' } as const;
/** An answer that needs several messages. */
const LONG = 'A sentence of the answer. '.repeat(1_000);
const done: Answer = { kind: 'done', body: { ts: '2.2' } };

/**
 * Shares a source, or a private answer, in the channel C2. `answers`: Slack's answers by method; the last one repeats.
 */
async function sharing(answers: Readonly<Record<string, readonly Answer[]>>, what: '1' | 'answer' = '1') {
  const made: [method: string, args: Plain][] = [];
  const acts: Act[] = [];
  const given = new Map(Object.entries(answers).map(([method, all]) => [method, [...all]]));
  const call = async (_: unknown, method: string, args: Plain): Promise<Answer> => {
    made.push([method, args]);
    const left = given.get(method) ?? [done];
    return (left.length > 1 ? left.shift() : left[0]) ?? done;
  };
  const host = {
    ...{ refusal: () => undefined, pressRefusal: async () => undefined, agents: () => [] },
    ...{ sourceLink: () => undefined, noteAct: async (act: Act) => void acts.push(act) },
    reply: async () => documentOf({ sources: [source] as never, ...(what === 'answer' && { text: LONG }) }),
  };
  const people = { find: async () => person({ id: 'U1' }) };
  const deps = { host, people, calls: { call }, settings: { name: 'Parley' } };
  const workspace = { tenant: 'T1', botUser: 'U0', token: 'x' };
  const interaction = { by: { user: 'U1' }, workspace, deps } as unknown as Interaction;
  const values = {
    what: { what: { selected_option: { value: what } } },
    where: { where: { selected_conversation: 'C2' } },
  };
  const view = {
    id: 'V1',
    callback: SHARE,
    metadata: actionValue(what === '1' ? reply : inPrivate, ''),
    values,
  };
  const sentence = await share(interaction, view);
  return { sentence, acts, posts: made.filter(([method]) => method === 'chat.postMessage') };
}

const refused = (error: string): Answer => ({ kind: 'refused', why: 'invalid', error });
const MAY_NOT = `is_archived messages_tab_disabled posting_to_channel_denied no_permission access_denied
  restricted_action restricted_action_non_threadable_channel restricted_action_read_only_channel
  restricted_action_thread_locked restricted_action_thread_only_channel`.split(/\s+/);
const sentences: Readonly<Record<string, string>> = {
  ...Object.fromEntries(MAY_NOT.map((code) => [code, words.mayNotPost])),
  not_in_channel: words.notInside('Parley'),
  channel_not_found: words.notInside('Parley'),
  user_not_in_channel: words.notMember,
};
/** Refusals of the blocks. The text is then posted without them. */
const OF_BLOCKS = `invalid_blocks invalid_blocks_format invalid_attachments invalid_metadata_format
  invalid_metadata_schema msg_blocks_too_long msg_too_long no_text`.split(/\s+/);

const codesOf = (method: string) => [
  ...new Set([...(documentedErrors[method] ?? []), ...MAY_NOT, 'invalid_auth']),
];

describe('the check whether the person may write there', () => {
  test.each(codesOf('chat.postEphemeral'))('is refused with %s', async (code) => {
    const { sentence, posts, acts } = await sharing({ 'chat.postEphemeral': [refused(code)] });
    expect(sentence).toBe(sentences[code] ?? words.trouble);
    expect([posts, acts]).toEqual([[], []]);
  });

  test('has an unknown outcome', async () => {
    const lost: Answer = { kind: 'unknown', error: 'unreachable' };
    const { sentence, posts, acts } = await sharing({ 'chat.postEphemeral': [lost] });
    expect(sentence).toBe(words.trouble);
    expect([posts, acts]).toEqual([[], []]);
  });
});

describe('the post', () => {
  test.each(codesOf('chat.postMessage'))('is refused with %s', async (code) => {
    const { sentence, posts, acts } = await sharing({ 'chat.postMessage': [refused(code)] });
    expect(sentence).toBe(sentences[code] ?? words.trouble);
    expect(posts).toHaveLength(OF_BLOCKS.includes(code) ? 2 : 1);
    expect(acts).toEqual([]);
  });

  test.each(OF_BLOCKS)('is made without blocks after %s', async (code) => {
    const { sentence, posts, acts } = await sharing({ 'chat.postMessage': [refused(code), done] });
    expect(sentence).toBe(words.shared);
    expect(posts.map(([, { blocks }]) => blocks === undefined)).toEqual([false, true]);
    expect(acts).toMatchObject([{ action: 'share', outcome: 'done', person: 'U1' }]);
  });

  test('has an unknown outcome', async () => {
    const { sentence, posts, acts } = await sharing({
      'chat.postMessage': [{ kind: 'unknown', error: 'unreachable' }],
    });
    expect(sentence).toBe(words.unconfirmed);
    expect(posts).toHaveLength(1);
    expect(acts).toEqual([]);
  });
});

test('a private answer of which only the beginning was shared is in the audit', async () => {
  const { sentence, posts, acts } = await sharing(
    { 'chat.postMessage': [done, refused('is_archived')] },
    'answer',
  );
  expect(sentence).toBe(words.partlyShared);
  expect(posts.map(([, { channel, thread_ts }]) => [channel, thread_ts])).toEqual([
    ['C2', undefined],
    ['C2', '2.2'],
  ]);
  expect(acts).toMatchObject([{ action: 'share', detail: 'share to C2' }]);
});
