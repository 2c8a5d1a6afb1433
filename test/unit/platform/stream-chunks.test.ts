/**
 * Tests what one chunk contains: its kind, text, ids, thoughts, media, suggestions and tool results (DEC-6 to DEC-20).
 */

import { describe, expect, test } from 'vitest';
import { toolSteps } from '../../../src/platform/gateways/hooks.ts';
import { extrasOf, toolPayload } from '../../../src/platform/stream/extras.ts';
import { isLast, kindOf } from '../../../src/platform/stream/kind.ts';
import { chunkText, finalText, idsOf } from '../../../src/platform/stream/text.ts';

describe('the kind of a chunk', () => {
  test.each([
    ['stream', 'message answer chunk delta text content STREAM'],
    ['tool', 'tool_result tool tools reference References'],
    ['end', 'end done finish finished complete stop close'],
    ['error', 'error fail'],
    ['beat', 'ping heartbeat keepalive'],
    ['unknown', 'other'],
  ])('the kind is %s by the event: %s', (kind, events) => {
    for (const event of events.split(' ').filter((each) => each !== 'message'))
      expect([event, kindOf(event, {})]).toEqual([event, { kind, named: true }]);
    const member = kind === 'unknown' ? [] : events.split(' ');
    for (const value of member)
      for (const name of ['event', 'type', 'kind', 'category'])
        expect([value, kindOf(undefined, { [name]: value })]).toEqual([value, { kind, named: true }]);
  });

  test.each([
    [undefined, 'text', { kind: 'stream', named: false }],
    ['', {}, { kind: 'stream', named: false }],
    ['message', { type: 'end' }, { kind: 'end', named: true }],
    ['message', { done: true }, { kind: 'end', named: false }],
    [undefined, { event: '', type: 'error' }, { kind: 'error', named: true }],
    [undefined, { event: 7, type: 'ping' }, { kind: 'beat', named: true }],
    [undefined, { event: 'other', type: 'end' }, { kind: 'end', named: true }],
    [undefined, { event: 'other' }, { kind: 'unknown', named: true }],
    [undefined, { type: 'other' }, { kind: 'stream', named: false }],
    [undefined, { event: 'other', done: true }, { kind: 'end', named: false }],
    [undefined, { event: 'other', type: 'x', tool_result: {} }, { kind: 'tool', named: false }],
    [undefined, { data: { tool_result: [] } }, { kind: 'tool', named: false }],
    [undefined, { tool_result: null }, { kind: 'stream', named: false }],
  ])('the kind is derived from event %j and chunk %j', (event, chunk, judged) => {
    expect(kindOf(event, chunk)).toEqual(judged);
  });

  test.each([
    [{ finish_reason: 'stop' }, true],
    [{ data: { finish_reason: 'stop' } }, true],
    [{ choices: [{ finish_reason: 'stop' }] }, true],
    [{ choices: [{ delta: { done: true } }] }, true],
    [{ choices: [{}, { finish_reason: 'stop' }] }, false],
    [{ choices: { finish_reason: 'stop' } }, false],
    [{ choices: ['stop'] }, false],
    [{ finish_reason: '' }, false],
    [{ finish_reason: null }, false],
    [{ finish_reason: 7 }, false],
    [{ done: 'true' }, false],
    [{ done: false }, false],
    ['done', false],
  ])('%j is the last: %s', (chunk, last) => {
    expect(isLast(chunk)).toBe(last);
  });
});

describe('the text of a chunk', () => {
  test.each(
    'delta content text full_output output answer token chunk result message'
      .split(' ')
      .map((name) => [name] as const),
  )('the text is read from %s', (name) => {
    expect(chunkText({ [name]: 'a' })).toEqual({ text: 'a', name });
  });

  test.each([
    ['a', { text: 'a', name: 'content' }],
    [7, undefined],
    [null, undefined],
    [[], undefined],
    [{}, undefined],
    [{ other: 'a' }, undefined],
    [
      { text: 'b', content: 'a', delta: '' },
      { text: 'a', name: 'content' },
    ],
    [{ delta: '' }, { text: '', name: 'delta' }],
    [
      { content: '', delta: '' },
      { text: '', name: 'delta' },
    ],
    [
      { content: '', data: { text: '' } },
      { text: '', name: 'content' },
    ],
    [
      { content: '', data: { text: 'a' } },
      { text: 'a', name: 'text' },
    ],
    [{ data: { data: { text: 'a' } } }, { text: 'a', name: 'text' }],
    [{ data: '{"text":"a"}' }, { text: 'a', name: 'text' }],
    [{ data: ' {"data":"{\\"text\\":\\"a\\"}"}' }, { text: 'a', name: 'text' }],
    [{ data: 'a' }, { text: 'a', name: 'content' }],
    [{ data: '{a' }, { text: '{a', name: 'content' }],
    [{ data: '{"other":1' }, { text: '{"other":1', name: 'content' }],
    [{ data: '{"content":"a' }, undefined],
    [{ data: ' { "success" : tr' }, undefined],
    [{ data: '{"other":1}' }, undefined],
    [{ data: '' }, undefined],
    [
      { data: '', content: '' },
      { text: '', name: 'content' },
    ],
    [{ choices: [{ delta: { content: 'a' } }] }, { text: 'a', name: 'content' }],
    [{ choices: [{ message: { content: 'a' } }] }, { text: 'a', name: 'content' }],
    [{ choices: [{ delta: { content: 'a' }, message: { content: 'b' } }] }, { text: 'a', name: 'content' }],
    [{ choices: ['a'] }, undefined],
    [{ choices: [] }, undefined],
    [{ content: ['a', { text: 'b' }, { text: 7 }, 8, null] }, { text: 'ab', name: 'content' }],
    [{ content: [7] }, undefined],
    [{ content: [] }, undefined],
    [{ message: 'a', code: 200 }, undefined],
    [{ message: 'a', success: true }, undefined],
    [
      { message: 'a', code: 200, text: 'b' },
      { text: 'b', name: 'text' },
    ],
  ])('%j', (chunk, found) => {
    expect(chunkText(chunk)).toEqual(found);
  });

  test('the complete text of an end event takes precedence', () => {
    expect(finalText({ delta: 'a', full_output: 'b' })).toEqual({ text: 'b', name: 'full_output' });
    expect(chunkText({ delta: 'a', full_output: 'b' })).toEqual({ text: 'a', name: 'delta' });
    expect(finalText({ content: 'b', delta: 'a' })).toEqual({ text: 'a', name: 'delta' });
    expect(finalText('a')).toEqual({ text: 'a', name: 'content' });
  });
});

test.each([
  [{}, {}],
  ['a', {}],
  [{ sessionId: 'a' }, { session: 'a' }],
  [{ conversation_id: 7 }, { session: '7' }],
  [{ conversationId: 'a' }, { session: 'a' }],
  [{ session_id: 'a', sessionId: '' }, { session: 'a' }],
  [
    { data: { chatRecordId: 'r' }, session_id: 's' },
    { session: 's', chatRecord: 'r' },
  ],
  [{ chat_record_id: 9 }, { chatRecord: '9' }],
  [{ chat_record_id: 'b', chatRecordId: 'a' }, { chatRecord: 'a' }],
])('the ids of %j are %j', (chunk, ids) => {
  expect(idsOf(chunk)).toEqual(ids);
});

describe('the content of a chunk besides its text', () => {
  const NONE = { thoughts: [], medias: [], suggestions: [] };
  const thoughtsOf = (...thoughts: unknown[]) => extrasOf({ thoughts }).thoughts;

  test('is often empty', () => {
    for (const chunk of [
      {},
      'a',
      null,
      { thoughts: null, medias: 'x', suggestionQuestions: 7, tool_result: null },
    ])
      expect(extrasOf(chunk)).toEqual(NONE);
  });

  test('contains thoughts as steps', () => {
    expect(
      thoughtsOf({ thought: 'look', pluginName: 'search', state: 'done', elapsedTime: { total: '7' } }),
    ).toEqual([
      {
        id: '["search","look"]',
        name: 'search',
        state: 'done',
        detail: 'look',
        elapsedMs: 7,
        reported: { state: 'done' },
      },
    ]);
    expect(thoughtsOf({ thought: 'look' }, { pluginName: 'search' }, {}, 'x', null)).toEqual([
      { id: '["","look"]', name: '', state: 'running', detail: 'look' },
      { id: '["search",""]', name: 'search', state: 'running' },
    ]);
    expect(extrasOf({ data: { thoughts: { thought: 'alone' } } }).thoughts).toHaveLength(1);
  });

  test.each([
    ['running', 'running RUNNING underway waiting pending processing started'],
    ['failed', 'failed FAILURE error'],
    ['done', 'done success finished'],
  ])('contains thoughts that are %s: %s', (state, states) => {
    for (const each of states.split(' '))
      expect(thoughtsOf({ thought: 'a', state: each })).toMatchObject([{ state }]);
  });

  test('has limits for the number and length of thoughts', () => {
    expect(thoughtsOf(...Array.from({ length: 201 }, (_, nth) => ({ thought: `${nth}` })))).toHaveLength(200);
    const long = 'x'.repeat(4_001);
    expect(thoughtsOf({ thought: long, pluginName: long })).toMatchObject([
      { name: long.slice(1), detail: long.slice(1) },
    ]);
  });

  test('contains media', () => {
    const media = (...medias: unknown[]) => extrasOf({ medias }).medias;
    expect(
      media({ type: 'image', name: 'a.png', url: '/a' }, { type: 'video', url: '/b' }, { name: 'c' }, 7),
    ).toEqual([
      { kind: 'image', name: 'a.png', url: '/a' },
      { kind: 'file', name: undefined, url: '/b' },
    ]);
    expect(media(...Array(51).fill({ url: '/a' }))).toHaveLength(50);
  });

  test('contains suggestions', () => {
    const suggestions = (...suggestionQuestions: unknown[]) => extrasOf({ suggestionQuestions }).suggestions;
    expect(suggestions(' a ', '', '  ', 7, 'b')).toEqual(['a', 'b']);
    expect(suggestions(...Array(10).fill(''), ...Array(21).fill('a'))).toHaveLength(20);
    expect(suggestions('x'.repeat(1_001))).toEqual(['x'.repeat(1_000)]);
  });

  test('contains a tool’s result', () => {
    expect(extrasOf({ tool_result: { a: 1 } })).toEqual({ ...NONE, tool: { a: 1 } });
    expect(extrasOf({ tool_result: null, data: { toolResult: '' } })).toEqual({ ...NONE, tool: '' });
    expect(toolPayload({ data: { tool_result: 'a' } })).toBe('a');
    expect(toolPayload({ toolResult: 'a', data: 'b' })).toBe('a');
    expect(toolPayload({ data: 'b' })).toBe('b');
    expect(toolPayload({ other: 1 })).toEqual({ other: 1 });
    expect(toolPayload('a')).toBe('a');
  });
});

describe('a tool’s result without passages', () => {
  const step = (name: string, detail: string) => ({
    ...{ id: JSON.stringify(['tool', name, detail]), name },
    ...{ state: 'done', detail },
  });

  test.each(
    'tool tool_name toolName pluginName name title'.split(' ').map((name) => [name] as const),
  )('is a step named by its %s', (name) => {
    const result = { [name]: 'Sum', value: 7 };
    expect(toolSteps(result)).toEqual([step('Sum', JSON.stringify(result))]);
  });

  test.each([
    ['4 + 4 = 8', [step('Tool', '4 + 4 = 8')]],
    ['{"value":8}', [step('Tool', '{"value":8}')]],
    [8, [step('Tool', '8')]],
    [
      ['a', { value: 1 }],
      [step('Tool', 'a'), step('Tool', '{"value":1}')],
    ],
    [[[1]], [step('Tool', '[1]')]],
  ])('%j is read completely', (payload, steps) => {
    expect(toolSteps(payload)).toEqual(steps);
  });

  test.each([
    undefined,
    null,
    '',
    [],
    {},
    [[], {}, '', null],
    { name: 'search', results: [] },
    { references: [] },
    { documents: [] },
    { list: [] },
    { data: [] },
    { results: [{ content: 'A passage.', title: 'a.md' }] },
  ])('%j is not a step', (payload) => {
    expect(toolSteps(payload)).toEqual([]);
  });

  test('is limited in number, name and length, and splits no character', () => {
    expect(toolSteps(Array(21).fill('a'))).toHaveLength(20);
    expect(toolSteps({ name: 'n'.repeat(201), value: 1 })).toMatchObject([{ name: 'n'.repeat(200) }]);
    expect(toolSteps(`${'x'.repeat(3_999)}😀`)).toEqual([step('Tool', `${'x'.repeat(3_999)}\uFFFD`)]);
    expect(toolSteps({ name: '\ud800' })).toMatchObject([{ name: '\uFFFD' }]);
  });
});
