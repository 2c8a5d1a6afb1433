import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { api, operations } from '../../../src/platform/api.ts';
import { bareInteger } from '../../../src/platform/json.ts';
import { faultsOfSettings } from '../../../src/platform/operations/workspaces.ts';
import { decode } from '../../../src/platform/wire/decode.ts';
import { documentedDeployment } from '../../../src/platform/wire/deployment.ts';
import { formBody } from '../../../src/platform/wire/form.ts';
import { fillPath, wireParts } from '../../../src/platform/wire/parts.ts';

const sent = (
  operation: Parameters<typeof wireParts>[0],
  request: unknown,
  deployment = documentedDeployment,
) => wireParts(operation, request, deployment);
const body = (operation: Parameters<typeof wireParts>[0], request: unknown): string =>
  JSON.stringify(sent(operation, request).json);
const ID = '4493041505002323001';

describe('a request', () => {
  it('CHK-3: contains 64-bit ids as bare integers, digit for digit', () => {
    expect(body(api.deleteWorkspaces, { ids: [ID, '7'] })).toBe(`[${ID},7]`);
    expect(body(api.fileMarkdown, { id: ID })).toBe(`{"id":${ID}}`);
    const bot = {
      code: 'a',
      names: [{ languageCode: 'en', content: 'A' }],
      chatModelId: ID,
      tools: [{ id: ID, more: 1 }],
    };
    expect(body(api.createBot, bot)).toContain(`"chatModelId":${ID}`);
    expect(body(api.createBot, bot)).toContain(`"tools":[{"id":${ID}`);
  });

  it('writes ids as bare integers without loss, and refuses other text', () => {
    expect(JSON.stringify({ id: bareInteger('4493041505002323001') })).toBe('{"id":4493041505002323001}');
    // JSON does not allow leading zeros.
    expect(JSON.stringify({ id: bareInteger('007') })).toBe('{"id":7}');
    for (const bad of ['', '1.5', '1}', 'NaN', '12345678901234567890'])
      expect(() => bareInteger(bad)).toThrow(SyntaxError);
  });

  it('fills paths percent-encoded and refuses values that would leave the path', () => {
    expect(fillPath('/a/{id}/b', { path: { id: 'x/y?@例' }, query: { q: 'a&b' } })).toBe(
      '/a/x%2Fy%3F%40%E4%BE%8B/b?q=a%26b',
    );
    for (const id of ['', '.', '..'])
      expect(() => fillPath('/a/{id}', { path: { id }, query: {} })).toThrow('must not be empty');
  });

  it('uses the wire names, including one with a space and a misspelled one (INC-5, INC-6)', () => {
    expect(body(api.createClient, { name: 'a', trustedDomains: ['x'] })).toBe(
      '{"name":"a","trusted domains":["x"]}',
    );
    const bot = { code: 'a', names: [{ languageCode: 'en', content: 'A' }], recordChat: true };
    expect(body(api.createBot, bot)).toContain('"recoreChat":true');
    expect(body(api.createOrg, { code: 'a', name: 'A', parentId: '-1', info: 'i' })).toContain('"Info":"i"');
  });

  it('contains one file id alone and several as a list (CHL-10)', () => {
    const messages = [{ role: 'user', content: 'x' }];
    expect(body(api.chatByKey, { messages, fileIds: ['a'] })).toContain('"file_id":"a"');
    expect(body(api.chatByKey, { messages, fileIds: ['a', 'b'] })).toContain('"file_id":["a","b"]');
  });

  it('CHK-20: contains JSON in strings, and JSON in JSON in strings', () => {
    const { json } = sent(api.editFileMetadata, {
      id: '1',
      metadataTemplate: [{ name: 'City', type: 'option', limit: ['a', 'b'], value: 'a' }],
    });
    const template = (json as { metadataTemplate: string }).metadataTemplate;
    expect(JSON.parse(template)).toEqual([{ name: 'City', type: 1, limit: '["a","b"]', value: 'a' }]);
  });

  it('CHK-20: keeps unknown members of settings and their order', () => {
    const text =
      '{"zeta":1,"setting":{"later":true,"mode":"refine","maxLength":512},"useWorkspaceSetting":false,"identifier":"x"}';
    const settings = JSON.parse(text) as Record<string, unknown>;
    expect(faultsOfSettings(settings)).toEqual([]);
    expect(faultsOfSettings({ setting: { mode: 'other', maxLength: 0 } })).toHaveLength(2);
    const request = { name: 'a', workspaceTypeId: '1', classificationId: '2', settings };
    expect((sent(api.createWorkspace, request).json as { settings: string }).settings).toBe(text);
  });

  it('CHK-21: carries the ids of a deletion in the body, or in the query if the deployment requires it', () => {
    expect(sent(api.deleteTypes, { ids: [ID, '2'] })).toMatchObject({ query: {} });
    const inQuery = sent(api.deleteTypes, { ids: [ID, '2'] }, { ...documentedDeployment, idsIn: 'query' });
    expect(inQuery).toEqual({ path: {}, query: { ids: [ID, '2'] } });
    const byId = { ...documentedDeployment, enableById: true };
    expect(JSON.stringify(sent(api.enableTypes, { ids: [ID] }, byId).json)).toBe(
      `{"id":${ID},"enable":true}`,
    );
    expect(() => sent(api.enableTypes, { ids: [ID, '2'] }, byId)).toThrow(/enableById/);
    for (const [operation, member] of [
      [api.deleteUsers, 'users'],
      [api.switchUsers, 'codes'],
      [api.deleteOrgs, 'organizations'],
    ] as const) {
      expect(() => sent(operation, { [member]: [ID, 'anna'], operation: true })).toThrow(/either only ids/);
    }
  });

  it("uses the deployment's words (GEN-15)", () => {
    const deployment = {
      ...documentedDeployment,
      idpWord: 'sso',
      chatAccountField: { lite: 'im', open: 'imName' },
    };
    const user = { users: [{ userName: 'a', userInfo: { chatAccount: 'c', isIdp: true } }] };
    expect(JSON.stringify(sent(api.createUsers, user, deployment).json)).toContain(
      '"imName":"c","isSso":true',
    );
    const read = api.getUser.read({ data: { imName: 'c', IsSso: 'true' } }, deployment);
    expect(read).toMatchObject({ chatAccount: 'c', isIdp: true });
  });

  it.each([
    [
      api.createBot,
      { code: 'x'.repeat(51), names: [{ languageCode: 'a', content: 'b' }] },
      /code: at most 50 characters, not 51/,
    ],
    [api.createBot, { code: 'x', names: [] }, /names: must not be empty/],
    [
      api.createBot,
      { code: 'x', names: [{ languageCode: 'a', content: 'b' }], temperature: 2.5 },
      /temperature: at most 2, not 2.5/,
    ],
    [
      api.createBot,
      { code: 'x', names: [{ languageCode: 'a', content: 'b' }], topP: -1 },
      /topP: at least 0, not -1/,
    ],
    [
      api.chatByToken,
      { agentId: 'a', messages: [] },
      /messages: at least 1 elements, not 0|messages: must not be empty/,
    ],
    [
      api.chatByToken,
      { agentId: 'a', messages: Array(2).fill({ role: 'user', content: 'x' }) },
      /messages: at most 1 elements, not 2/,
    ],
    [
      api.chatByToken,
      { agentId: 'a', messages: [{ role: 'system', content: 'x' }] },
      /must be one of user, human, not "system"/,
    ],
    [api.chatByKey, { messages: [{ role: 'assistant', content: 'x' }] }, /last message must be a question/],
    [api.retrieve, { query: 'x', minSimilarity: 1.5 }, /minSimilarity: at most 1, not 1.5/],
    [api.retrieve, { query: 'x', topk: 0 }, /topk: at least 1, not 0|topk: must not be empty/],
    [api.retrieve, {}, /needs a query or keywords/],
    [api.retrieve, { keywords: ['a|b'] }, /must not hold "\|"/],
    [api.retrieve, { query: 'x', metadataSearchType: 'filter' }, /needs metadataProvider/],
    [api.retrieve, { query: 'x', ragMode: 'fullText', weights: { FullText: 1 } }, /hybrid mode only/],
    [
      api.loginWithClient,
      { client: 'a', account: 'b', timestamp: 1, nonce: 'abc', signature: 'x' },
      /timestamp.*nonce/,
    ],
    [api.temporaryLinks, { fileIds: Array(51).fill('1') }, /at most 50 elements, not 51/],
    [api.updateWorkspace, { id: '1' }, /name: is missing/],
    [api.deleteFile, { id: 'x' }, /must be an id of 1 to 19 digits/],
    [api.getUser, { userCode: 'me' }, /users me/],
    [api.getUser, { userCode: 'a', shape: 1 }, /there is no field shape/],
    [api.updateUser, { userName: 'a' }, /realName: is missing/],
  ] as const)('a limit of %o is reported before anything is sent', (operation, request, message) => {
    expect(() => sent(operation, request)).toThrow(message);
  });
});

describe('an answer', () => {
  const shape = api.getUser.response;
  it('is read in any letter case, the exact name first (INC-4)', () => {
    expect(decode(shape, { UserName: 'A', userName: 'a', ENABLE: '1' }, documentedDeployment)).toMatchObject({
      userName: 'a',
      enable: true,
    });
  });

  it('CHK-24: keeps unknown values as text and unknown members under raw', () => {
    const read = api.batchStatus.read(
      { data: [{ fileId: 7, state: 'paused', later: 1 }] },
      documentedDeployment,
    );
    expect(read).toEqual([
      expect.objectContaining({ fileId: '7', state: { known: false, value: 'paused' } }),
    ]);
    expect(api.getUser.read({ data: { gender: 2, later: 1 } }, documentedDeployment)).toMatchObject({
      gender: { known: false, value: '2' },
      raw: { later: 1 },
    });
  });

  it('keeps the usable elements of a list under any known name (CLT-3)', () => {
    const client = { client_id: 'a', name: 'A' };
    for (const data of [[client], { clients: [client], total: 1 }, { rows: [client, { odd: true }, 7] }]) {
      const read = api.listClients.response.parse(
        api.listClients.read({ code: 200, data }, documentedDeployment),
      );
      expect(read.items).toEqual([expect.objectContaining({ clientId: 'a' })]);
    }
    for (const data of [null, {}, { later: [client] }, 'none']) {
      expect(api.listClients.read({ code: 200, data }, documentedDeployment)).toMatchObject({ items: [] });
    }
  });

  it('CHK-24: no reader throws on any JSON or reads a member of a prototype', () => {
    const readers = operations.filter(({ answer }) => answer === 'json');
    fc.assert(
      fc.property(fc.constantFrom(...readers), fc.jsonValue({ maxDepth: 5 }), (operation, value) => {
        for (const sentBody of [value, { success: true, data: value }, { code: 200, data: [value] }]) {
          const read = operation.read(sentBody, documentedDeployment);
          operation.response.safeParse(read);
        }
      }),
      { numRuns: 2000 },
    );
    const poisoned = JSON.parse('{"data":{"__proto__":{"userName":"x"},"constructor":1}}');
    expect(api.getUser.read(poisoned, documentedDeployment)).toBeUndefined();
  });
});

describe('a form', () => {
  const part = fc.record({
    name: fc.stringMatching(/^[a-z]{1,10}$/),
    fileName: fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
      .filter((name) => !/[\\/\0]/.test(name.toWellFormed()) && name.trim() === name),
    bytes: fc.uint8Array({ maxLength: 2000 }),
  });

  it('is read back by an independent parser and has the announced length', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(part, { minLength: 1, maxLength: 4 }),
        fc.string({ maxLength: 50 }),
        async (files, text) => {
          const form = formBody(
            [
              { name: 'text', text },
              ...files.map(({ name, fileName, bytes }) => ({
                name,
                file: {
                  name: fileName,
                  size: bytes.byteLength,
                  async *open() {
                    yield bytes;
                  },
                },
              })),
            ],
            'boundary-of-the-test',
          );
          const chunks: Uint8Array[] = [];
          for await (const chunk of form.bytes()) chunks.push(chunk);
          const whole = Buffer.concat(chunks);
          expect(whole.byteLength).toBe(form.length);
          const seen = await parsed(whole, form.type);
          expect(seen.text).toBe(text.toWellFormed());
          expect(seen.files.map(({ bytes }) => bytes)).toEqual(files.map(({ bytes }) => Buffer.from(bytes)));
        },
      ),
      { numRuns: 100 },
    );
  });

  it('has escaped names that end neither the quotation nor the line', async () => {
    const name = 'a"b\r\nContent-Type: text/html\r\n\r\n<b>手册😀.md';
    const file = {
      name,
      size: 1,
      async *open() {
        yield Uint8Array.of(65);
      },
    };
    const chunks: Uint8Array[] = [];
    for await (const chunk of formBody([{ name: 'file', file }], 'b').bytes()) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    expect(text).toContain('filename="a%22b%0D%0AContent-Type: text/html%0D%0A%0D%0A<b>手册😀.md"');
    expect(text.split('\r\n')).toHaveLength(7);
  });
});

interface Parsed {
  readonly text: string;
  readonly files: readonly { readonly bytes: Buffer }[];
}

async function parsed(whole: Buffer, type: string): Promise<Parsed> {
  const form = await new Response(whole, { headers: { 'content-type': type } }).formData();
  const files = [...form.values()].filter((value) => value instanceof File);
  const bytes = await Promise.all(
    files.map(async (file) => ({ bytes: Buffer.from(await file.arrayBuffer()) })),
  );
  return { text: String(form.get('text')), files: bytes };
}
