/**
 * Tests, for every operation and every form in which servers were seen to refuse a call, that a refusal is never taken
 * for a success (platform contract GEN-4, ERR-4).
 */

import { describe, expect, it } from 'vitest';
import { samples } from '../../../src/cli/platform/samples.ts';
import { type AnyOperation, api, operations } from '../../../src/platform/api.ts';
import { sendEvents, sendJson } from '../../fakes/hostile-platform.ts';
import { eachWithRig } from './typed-client.ts';

const rig = eachWithRig();
const SAID = 'no permission here';

/** Refusals. Each contains `SAID`, which must reach the operator. */
const refusals: Readonly<Record<string, unknown>> = {
  documented: { success: false, msg: SAID },
  'lite interface': { code: 422, message: SAID, data: null },
  'Pascal case': { Success: false, Msg: SAID },
  'upper case': { SUCCESS: false, MSG: SAID, DATA: null },
  zero: { success: 0, msg: SAID },
  null: { success: null, msg: SAID },
  'text "False"': { success: 'False', msg: SAID },
  'text "0"': { Success: '0', Message: SAID },
  'text "no"': { success: 'no', msg: SAID },
  isSuccess: { isSuccess: false, message: SAID },
  IsSuccess: { IsSuccess: false, Message: SAID, Data: null },
  succeeded: { succeeded: false, message: SAID },
  'in a list': [{ success: false, msg: SAID }],
  'in a list, in Pascal case': [{ Success: 0, Msg: SAID }],
  nested: { data: { success: false, msg: SAID } },
  'nested in a success': { success: true, msg: '', data: { Success: false, Msg: SAID } },
  'nested twice': { code: 200, result: { data: [{ isSuccess: 'false', msg: SAID }] } },
  'nested with a code': { success: true, data: { code: 403, message: SAID } },
  problem: { type: 'about:blank', title: SAID, status: 403 },
  'problem with details': { Title: 'Forbidden', Status: 403, Detail: SAID },
  'error text': { success: true, error: SAID },
  'error object': { Error: { Message: SAID } },
};

/** Bodies that neither report a success nor a refusal, and that contain no documented field. */
const strange: Readonly<Record<string, unknown>> = {
  'bare false': false,
  'bare true': true,
  'bare null': null,
  'a number': 0,
  'a text': 'OK',
  'a list of false': [false],
  'another object': { message: 'hello', foo: 1 },
};

/** Confirmations without a success: reads accept them if they contain data; changes are unconfirmed. */
const unconfirmed: Readonly<Record<string, unknown>> = {
  'an empty object': {},
  'only a description': { msg: '' },
  'only data': { data: { id: '1' } },
  'a list': [{ id: '1' }],
};

const file = {
  name: 'guide.md',
  size: 1,
  async *open() {
    yield new Uint8Array([97]);
  },
};

function requestOf({ id }: AnyOperation): Record<string, unknown> {
  const withFiles = ([name, value]: [string, unknown]) =>
    /^files?$/.test(name) ? [name, Array.isArray(value) ? value.map(() => file) : file] : [name, value];
  return Object.fromEntries(Object.entries(samples[id] ?? {}).map(withFiles));
}

/** Calls the operation, which the server answers with the body; returns the error, or the result in a list. */
async function outcome(operation: AnyOperation, body: unknown, status = 200): Promise<unknown> {
  rig.server.on(operation.path.split('{')[0] ?? '', (_request, response) => {
    if (body === undefined) response.writeHead(status).end();
    else sendJson(response, body, status);
  });
  const request = requestOf(operation);
  const call = operation.answer === 'bytes' ? rig.client.download(operation, request) : undefined;
  return (call ?? rig.client.call(operation, request)).then(
    (result) => [result],
    (error: unknown) => error,
  );
}

const named = operations.map((operation) => [operation.id, operation] as const);
const changes = operations.filter(({ confirmedBy }) => confirmedBy !== 'result');

describe.each(named)('%s', (_id, operation) => {
  it('is refused in every form', async () => {
    for (const [dress, body] of Object.entries(refusals)) {
      const error = await outcome(operation, body);
      expect(error, dress).toMatchObject({ code: expect.stringMatching(/^platform-(?!unconf|proto)/) });
      expect(String(error), dress).toContain(SAID);
    }
  });

  it('is not done by an answer without a documented field', async () => {
    const code = changes.includes(operation) ? 'platform-unconfirmed' : /^platform-(protocol|empty)$/;
    const expected = typeof code === 'string' ? code : expect.stringMatching(code);
    for (const [name, body] of Object.entries(strange)) {
      if (operation.answer === 'stream' && typeof body !== 'boolean') continue;
      expect(await outcome(operation, body), name).toMatchObject({ code: expected });
    }
  });
});

describe('a change', () => {
  it.each(
    changes.map((operation) => [operation.id, operation] as const),
  )('%s is unconfirmed by an answer without a success', async (_id, operation) => {
    for (const [name, body] of Object.entries(unconfirmed))
      expect(await outcome(operation, body), name).toMatchObject({ code: 'platform-unconfirmed' });
  });

  it('is confirmed by true, "true" and 1, in any letter case, whatever the code', async () => {
    const successes = [
      { success: true },
      { Success: 'True', Msg: null },
      { SUCCESS: 1 },
      { IsSuccess: '1' },
      { code: 0, success: true },
      { code: '0', msg: 'ok', success: true, data: null },
    ];
    for (const operation of changes) {
      if (
        operation.id === 'createBot' ||
        operation.id === 'createWorkspace' ||
        operation.id === 'uploadFiles'
      )
        continue;
      for (const body of successes) expect(await outcome(operation, body)).toBeInstanceOf(Array);
    }
    expect(await outcome(api.createBot, { Success: true, Data: '12' })).toEqual([{ id: '12' }]);
  });

  it('is done if it is a deletion that is answered without a body', async () => {
    for (const operation of changes) {
      const expected = operation.method === 'DELETE' ? [undefined] : { code: 'platform-unconfirmed' };
      expect(await outcome(operation, undefined, 204)).toMatchObject(expected);
      expect(await outcome(operation, undefined, 200)).toMatchObject(expected);
    }
  });
});

it.each([
  [
    'a user',
    api.me,
    { Success: true, Msg: '', Data: { Id: '1', UserName: 'ada' } },
    { id: '1', userName: 'ada' },
  ],
  [
    'a page of files',
    api.listFiles,
    { Success: true, Data: [{ Id: '1', FileName: 'a' }], TotalCount: 3, PageIndex: 1 },
    { items: [{ id: '1', name: 'a' }], totalCount: 3, totalKnown: true },
  ],
  [
    'passages',
    api.retrieve,
    { Success: true, Data: { SearchId: 's', Results: [{ FileName: 'a', Metadata: { Url: 'u' } }] } },
    { searchId: 's', items: [{ fileName: 'a', metadata: { Url: 'u' } }] },
  ],
  [
    'references',
    api.references,
    { Success: true, Data: [{ Title: 'a', Content: 'b', Type: 'qna' }] },
    [{ title: 'a', content: 'b', type: 'QnA' }],
  ],
  ['image ids', api.uploadImages, { Code: 201, Data: [{ Ids: ['x'] }] }, ['x']],
  [
    'links',
    api.temporaryLinks,
    { Code: 200, Data: [{ File_Id: '1', Url: '/x' }] },
    [{ id: '1', link: '/x' }],
  ],
  ['details', api.fileDetail, { Code: 200, Data: { File_Name: 'a.md' } }, { name: 'a.md' }],
  [
    'an answer',
    api.askExpert,
    { Success: true, Data: { Content: 'Hi', SessionId: '7' } },
    { text: 'Hi', session: '7' },
  ],
  ['an answer in a list', api.chatByKey, { code: 200, data: [{ full_output: 'Hi' }] }, { text: 'Hi' }],
])('%s is read in any letter case (INC-4, GEN-14)', async (_name, operation: AnyOperation, body, expected) => {
  expect(await outcome(operation, body)).toMatchObject([expected]);
});

it.each(
  Object.keys(refusals),
)('a refusal in a stream after text ends the answer with an error: %s', async (dress) => {
  rig.server.on(api.askExpert.path, (_request, response) =>
    sendEvents(response, [{ content: 'Two ' }, { content: 'years' }, refusals[dress]]),
  );
  const texts: string[] = [];
  const run = async () => {
    for await (const event of rig.client.ask(api.askExpert, { expertCode: 'e', content: 'Hi', stream: true }))
      if (event.type === 'text') texts.push(event.text);
  };
  await expect(run()).rejects.toThrow(SAID);
  expect(texts.join('')).toBe('Two years');
});
