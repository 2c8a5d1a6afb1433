import { describe, expect, it } from 'vitest';
import { type Json, openToken, shared } from './support.ts';
import { DOCUMENTS, openWire, TYPES } from './wire.ts';

const sandbox = await shared({ options: { fileStateMs: 0 } });
const wire = await openWire(sandbox);

describe('workspace types (WST-1 to WST-6)', () => {
  const record = (code: string, more: Record<string, unknown> = {}) => ({
    code,
    title: [{ languageCode: 'en-US', content: `Type ${code}` }],
    icon: '',
    sort: 2,
    description: '',
    ...more,
  });
  const idOf = async (label: string): Promise<string> => {
    const data = await wire.done('GET', `${TYPES}/Dropdown`);
    return data.find((each: Json) => each.label === label)?.value;
  };

  it('are created, read, changed, switched and deleted', async () => {
    expect(await wire.done('POST', TYPES, record('law'))).toBeNull();
    const id = await idOf('Type law');
    expect(await wire.done('GET', `${TYPES}?id=${id}`)).toEqual({ id, ...record('law') });
    await wire.done('PUT', TYPES, { id, ...record('law', { description: 'Changed' }) });
    expect((await wire.done('GET', `${TYPES}?id=${id}`)).description).toBe('Changed');
    await wire.done('PUT', `${TYPES}/Enable`, { ids: [id], enable: false });
    expect(await idOf('Type law')).toBeUndefined();
    await wire.done('PUT', `${TYPES}/Enable`, `{"id": ${id}, "enable": true}`);
    expect(await idOf('Type law')).toBe(id);
    expect((await wire.ask('PUT', `${TYPES}/enable`, { ids: [id], enable: true })).status).toBe(404);
    await wire.done('DELETE', TYPES, [id]);
    expect(await idOf('Type law')).toBeUndefined();
  });

  it('in use are not deleted, nor are the others in the request', async () => {
    await wire.done('POST', TYPES, record('spare'));
    const spare = await idOf('Type spare');
    expect(await wire.refused('DELETE', TYPES, [spare, DOCUMENTS])).toMatch(/in use/);
    expect(await idOf('Type spare')).toBe(spare);
  });

  it.each([
    [{ code: '' }, /code/],
    [{ code: 'documents' }, /already/],
    [{ title: 'Law' }, /title/],
    [{ title: [] }, /title/],
    [{ title: [{ languageCode: 'en-US' }] }, /title/],
    [{ icon: undefined }, /icon/],
    [{ sort: '2' }, /sort/],
    [{ description: undefined }, /description/],
  ])('%j is refused', async (wrong, message) => {
    expect(await wire.refused('POST', TYPES, { ...record('wrong'), ...wrong })).toMatch(message);
  });

  it('CHK-21: are deleted by ids in the body, repeated in the query, or with commas', async () => {
    const codes = ['q1', 'q2', 'q3', 'q4'];
    for (const code of codes) await wire.done('POST', TYPES, record(code));
    const ids = await Promise.all(codes.map((code) => idOf(`Type ${code}`)));
    await wire.done('DELETE', TYPES, `[${ids[0]}]`);
    await wire.done('DELETE', `${TYPES}?ids=${ids[1]}&ids=${ids[2]}`);
    await wire.done('DELETE', `${TYPES}?ids=${ids[3]},${ids[3]}`);
    for (const code of codes) expect(await idOf(`Type ${code}`)).toBeUndefined();
    for (const [path, body, message] of [
      [TYPES, undefined, /"ids" is missing/],
      [TYPES, [], /"ids" is missing/],
      [TYPES, { ids }, /array/],
      [TYPES, ['documents'], /no id/],
      [TYPES, [null], /ids/],
      [`${TYPES}?ids=1,,2`, undefined, /ids/],
      [`${TYPES}?ids=12`, undefined, /12 is unknown/],
    ] as const) {
      expect(await wire.refused('DELETE', path, body)).toMatch(message);
    }
  });

  it('CHK-3: have ids that may be sent as integers or as text', async () => {
    await wire.done('POST', TYPES, record('digits'));
    const id = await idOf('Type digits');
    expect(id).toMatch(/^\d{19}$/);
    await wire.done('PUT', TYPES, JSON.stringify(record('digits', { sort: 9 })).replace('{', `{"id":${id},`));
    expect(await wire.done('GET', `${TYPES}?id=${id}`)).toMatchObject({ id, sort: 9 });
    await wire.done('PUT', `${TYPES}/Enable`, `{"ids":[${id}],"enable":false}`);
    expect(await idOf('Type digits')).toBeUndefined();
  });

  it('are all switched or none (STA-5)', async () => {
    await wire.done('POST', TYPES, record('switch'));
    const id = await idOf('Type switch');
    for (const [body, message] of [
      [{ ids: [id, '12'], enable: false }, /12 is unknown/],
      [{ ids: [], enable: false }, /ids/],
      [{ ids: id, enable: false }, /ids/],
      [{ enable: false }, /ids/],
      [{ ids: [id] }, /enable/],
      [{ ids: [id], enable: 'false' }, /enable/],
      [{ ids: [[id]], enable: false }, /ids/],
    ] as const) {
      expect(await wire.refused('PUT', `${TYPES}/Enable`, body)).toMatch(message);
    }
    expect(await idOf('Type switch')).toBe(id);
  });

  it('are changed whole: a missing member, a foreign id or another type\u2019s code changes nothing', async () => {
    await wire.done('POST', TYPES, record('whole'));
    const id = await idOf('Type whole');
    const { sort: _sort, ...without } = record('whole');
    for (const [body, message] of [
      [{ id, ...without }, /sort/],
      [record('whole'), /"id" is missing/],
      [{ ...record('whole'), id: '12' }, /12 is unknown/],
      [{ ...record('documents'), id }, /already/],
      [{ ...record('whole'), id: { is: id } }, /id/],
      [[record('whole')], /object/],
    ] as const) {
      expect(await wire.refused('PUT', TYPES, body)).toMatch(message);
    }
    expect(await wire.done('GET', `${TYPES}?id=${id}`)).toEqual({ id, ...record('whole') });
    expect(await wire.refused('GET', TYPES)).toMatch(/"id" is missing/);
    expect(await wire.refused('GET', `${TYPES}?id=law`)).toMatch(/law is unknown/);
  });

  it('are readable for members', async () => {
    const member = await openToken(sandbox, 'member-two');
    expect((await wire.ask('GET', `${TYPES}/Dropdown`, undefined, member)).json.success).toBe(true);
    expect((await wire.ask('GET', `${TYPES}?id=${DOCUMENTS}`, undefined, member)).json.data.code).toBe(
      'documents',
    );
  });
});
