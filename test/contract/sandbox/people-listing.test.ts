import { describe, expect, it } from 'vitest';
import { type Json, manualClock, shared } from './support.ts';
import { openWire, page, USERS } from './wire.ts';

describe('sandbox: listing users (USR-6)', async () => {
  const clock = manualClock(Date.UTC(2026, 0, 5, 9));
  const sandbox = await shared({ clock });
  const wire = await openWire(sandbox, clock.now());
  const QUOTES = `d' OR '1'='1`;
  clock.advance(60_000);
  await wire.done('POST', USERS, [
    { userName: 'ada', userInfo: { realName: 'Ada', sort: 10, email: 'ada@example.com', region: '' } },
    { userName: 'Bob', userInfo: { realName: 'Bobby', sort: 9, serialNumber: '10', gender: 1 } },
    { userName: 'cyd', userInfo: { realName: '张伟', sort: 10, serialNumber: '9', region: 'North' } },
    { userName: QUOTES, userInfo: { realName: '%_\\', sort: 11, serialNumber: '9a' } },
  ]);

  it.each<[string, Record<string, unknown>, unknown]>([
    ['0 exact', { userName: ['BOB', 0] }, ['Bob']],
    ['no type is exact', { realName: '张伟' }, ['cyd']],
    ['1 fuzzy', { realName: ['ob', 1] }, ['Bob']],
    ['2 greater', { sort: ['10', 2] }, [QUOTES]],
    ['3 greater or equal', { sort: ['10', 3] }, ['ada', 'cyd', QUOTES]],
    ['4 less', { serialNumber: ['10', 4] }, ['cyd']],
    ['5 less or equal', { serialNumber: ['10', 5] }, ['Bob', 'cyd']],
    ['6 in', { userName: ['ada, cyd,nobody', 6] }, ['ada', 'cyd']],
    ['7 not in', { sort: ['0,9,11', 7] }, ['ada', 'cyd']],
    ['8 left fuzzy', { userName: ['D', 8] }, [QUOTES, 'disabled']],
    ['9 right fuzzy', { userName: ['A', 9] }, ['ada']],
    ['10 not equal', { sort: ['0', 10] }, ['ada', 'Bob', 'cyd', QUOTES]],
    ['11 null or empty', { region: [undefined, 11], sort: ['0', 2] }, ['ada', 'Bob', QUOTES]],
    ['12 not empty', { region: [undefined, 12] }, ['cyd']],
    ['13 not like', { userName: ['D', 13], sort: ['0', 2] }, ['Bob']],
    ['two conditions', { sort: '10', realName: 'Ada' }, ['ada']],
    ['two conditions of which one fails', { sort: '10', realName: 'Bobby' }, []],
    ['a time', { created: ['2026-01-05T09:00:30Z', 2] }, ['ada', 'Bob', 'cyd', QUOTES]],
    ['a flag', { enable: 'true' }, ['admin', 'member-one', 'member-two']],
    ['the name of a field in another case', { USERNAME: 'ada' }, ['ada']],
    ['text that looks like SQL', { userName: QUOTES }, [QUOTES]],
    ['text that looks like a pattern', { realName: ['%', 1] }, [QUOTES]],
    ['an injection', { userName: [`x'; DROP TABLE users; --`, 10] }, expect.any(Array)],
  ])('finds by %s (CHK-19)', async (_type, conditions, expected) => {
    expect(await wire.names(conditions)).toEqual(expected);
  });

  it('sorts by any field, by id in the order of creation, and equal rows by age', async () => {
    const sorted = (orderField: string, orderType: string) =>
      wire.names({ sort: ['0', 2] }, { orderField, orderType });
    const created = ['ada', 'Bob', 'cyd', QUOTES];
    expect(await sorted('id', 'asc')).toEqual(created);
    expect(await sorted('id', 'desc')).toEqual(created.toReversed());
    expect(await sorted('SORT', 'asc')).toEqual(['Bob', 'ada', 'cyd', QUOTES]);
    expect(await sorted('serialNumber', 'asc')).toEqual(['ada', 'cyd', 'Bob', QUOTES]);
    expect(await sorted('userName', 'desc')).toEqual([QUOTES, 'cyd', 'Bob', 'ada']);
    expect((await wire.names({}, { orderField: 'id', orderType: 'asc' })).slice(0, 2)).toEqual([
      'admin',
      'member-one',
    ]);
  });

  it('returns the three numbers on every page, also beyond the end (GEN-7)', async () => {
    const seen: string[] = [];
    for (const pageIndex of [1, 2, 3, 4]) {
      const { json } = await wire.ask('POST', `${USERS}/pageList`, page({}, { pageIndex, pageSize: 3 }));
      expect(json).toMatchObject({ success: true, msg: null, pageIndex, pageSize: 3, totalCount: 8 });
      seen.push(...json.data.map((row: Json) => row.userName));
    }
    expect(seen).toEqual(await wire.names({}));
    expect(new Set(seen).size).toBe(8);
  });

  it.each<[string, Record<string, unknown>]>([
    ['an unknown orderField', { orderField: 'nothing' }],
    ['no orderField', { orderField: undefined }],
    ['an inherited orderField', { orderField: 'constructor' }],
    ['the prototype as orderField', { orderField: '__proto__' }],
    ['a password as orderField', { orderField: 'password' }],
    ['another orderType', { orderType: 'up' }],
    ['no orderType', { orderType: undefined }],
    ['pageIndex 0', { pageIndex: 0 }],
    ['no pageIndex', { pageIndex: undefined }],
    ['a pageSize that is no integer', { pageSize: 1.5 }],
    ['a pageSize as text', { pageSize: '5' }],
    ['conditions that are no array', { conditions: {} }],
    ['a condition that is no object', { conditions: ['x'] }],
    ['a condition without a field', { conditions: [{ fieldValue: 'x' }] }],
    ['an unknown fieldName', { conditions: [{ fieldName: 'nothing', fieldValue: 'x' }] }],
    ['an inherited fieldName', { conditions: [{ fieldName: 'toString', fieldValue: 'x' }] }],
    ['the prototype as fieldName', { conditions: [{ fieldName: '__proto__', fieldValue: 'x' }] }],
    ['a password as fieldName', { conditions: [{ fieldName: 'password', conditionalType: 12 }] }],
    ['a fieldValue that is not a text', { conditions: [{ fieldName: 'id', fieldValue: {} }] }],
    ['an unknown type', { conditions: [{ fieldName: 'id', fieldValue: 'x', conditionalType: 14 }] }],
    ['a type as text', { conditions: [{ fieldName: 'id', fieldValue: 'x', conditionalType: '1' }] }],
    ['too many conditions', { conditions: Array(101).fill({ fieldName: 'id', fieldValue: 'x' }) }],
  ])('refuses %s', async (_what, changes) => {
    expect(await wire.refused('POST', `${USERS}/pageList`, page({}, changes))).not.toBe('');
  });

  it('treats a member named __proto__ like any other member', async () => {
    const body = JSON.stringify(page()).replace('{', '{"__proto__":{"pageSize":1},"constructor":{},');
    expect((await wire.ask('POST', `${USERS}/pageList`, body)).json).toMatchObject({
      totalCount: 8,
      pageSize: 20,
    });
    expect(Object.prototype).not.toHaveProperty('pageSize');
    await wire.refused('POST', USERS, '[{"__proto__":{"userName":"ghost"}}]');
  });
});
