/**
 * Stores values of every family for several people, with the code that the bridge uses. After one of them is forgotten,
 * the whole database is searched for them, and is compared with a database for which they never wrote.
 */

import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import { LINKS, nameOwners } from '../../src/bridge/link-records.ts';
import { pick } from '../../src/conform/random.ts';
import { turnId } from '../../src/core/ids.ts';
import type { ForgetTarget } from '../../src/core/stores/forgetting.ts';
import { quiet } from '../fakes/quiet.ts';
import { seeded } from '../fakes/seeded.ts';
import type { OpenAudit } from './audit-contract.ts';
import { clockOf, FAMILIES, type Someone, sealedBy } from './stored-families.ts';
import { UNOWNED } from './unowned.ts';

const DAY_MS = 86_400_000;
const TURNS = 'turns, their texts, and deleted messages';

type Person = readonly [id: string, tenant: string];
type Row = Readonly<Record<string, unknown>>;

/** One call of a family's code for a person. */
interface Step {
  readonly nth: number;
  readonly who: Person;
  readonly family: string;
}

function someoneIn({ store, now }: OpenAudit, { nth, who: [person, tenant] }: Omit<Step, 'family'>): Someone {
  const room = { channel: 'slack', tenant, room: 'C1', key: '1.1', kind: 'room' } as const;
  const direct = { ...room, room: `D${nth}`, key: `2.${nth}`, kind: 'direct' } as const;
  const turn = turnId(`10000000-0000-4000-8000-${String(nth).padStart(12, '0')}`);
  return { store, person, tenant, room, direct, turn, now };
}

/** Runs the step. Every person has a turn, by which forgetting finds what only a turn leads to. */
async function run(step: Step, opened: OpenAudit): Promise<void> {
  const someone = someoneIn(opened, step);
  await FAMILIES[TURNS]?.(someone);
  if (step.family !== TURNS) await FAMILIES[step.family]?.(someone);
}

async function forget(
  { store: { forgetting } }: OpenAudit,
  [person, tenant]: Partial<Person>,
): Promise<void> {
  const target: ForgetTarget = {
    ...{ kind: 'person', channel: 'slack', person: person ?? '' },
    ...(tenant !== undefined && { tenant }),
  };
  await forgetting.erase(target);
  while ((await forgetting.anonymize(target, 'forgotten-1')) > 0);
}

/** True if the text contains the id, and not only a longer id. Ids in keys may be encoded as in addresses. */
function names(text: string, id: string): boolean {
  return [id, JSON.stringify(id).slice(1, -1), encodeURIComponent(id)].some((each) =>
    text.split(each).some((before, at, all) => {
      const after = all[at + 1];
      return after !== undefined && !/[\p{L}\p{N}.@]$/u.test(before) && !/^[\p{L}\p{N}]/u.test(after);
    }),
  );
}

/** Matches times, random ids and digests, which two databases do not share. */
const RANDOM =
  /\b1[78]\d{11}(?:\.\d+)?\b|2026-[\dT:.-]+Z|[0-9a-f]{64}|(?!10000000)[0-9a-f]{8}-[0-9a-f-]{27}/g;
const SEALED = ['replies', 'secrets slack', 'account links', 'asker tokens'];
/** True for values that are encrypted, or that depend on the order of what several people said. */
const isOther = (namespace: unknown, key: unknown): boolean =>
  SEALED.includes(String(namespace)) || String(key).startsWith('engaged ');

/** Returns the text of a value whose properties are in order. */
const inOrder = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : each,
  );

/** Returns the rows, except the audit, without what differs between two databases with the same content. */
function comparable(rows: readonly string[]): ReadonlySet<string> {
  const read = rows.map((row) => JSON.parse(row) as Row).filter((row) => row.action === undefined);
  const alike = read.map(({ seq: _s, place: _p, shown: _n, lease_until: _l, value, ...columns }) => {
    const { namespace, key } = columns;
    const isRead = typeof value === 'string' && !isOther(namespace, key);
    return inOrder({ ...columns, value: isRead ? JSON.parse(value) : undefined }).replace(RANDOM, 'RANDOM');
  });
  return new Set(alike);
}

/** Matches what stays although the person caused it, because it names nobody. */
const NAMELESS = /"key":"prompted |-of-another|"key":"engaged /;
/** Ids of people, each of which is a part of the next one, in several shapes. */
const SHAPES: readonly (readonly [string, string])[] = [
  ['U1', 'U12'],
  ['ada@example.org', 'x.ada@example.org'],
  ['29:a-b_c', '29:a-b_cd'],
  ['0f8e', '0f8e1'],
  ['Ada "A" [1]', 'Ada "A" [1]2'],
];

/** Defines the tests that every engine must pass. */
export function forgottenFamiliesContract(name: string, open: () => Promise<OpenAudit>): void {
  describe(`${name} finds everything about a person`, () => {
    let opened: OpenAudit;
    beforeEach(async () => {
      opened = await open();
    });
    afterEach(() => opened.dispose());

    const about = async (...words: readonly string[]) =>
      (await opened.dump()).filter((row) => words.every((word) => names(row, word))).toSorted();

    it('of every family: nothing of the person is left, and all of another one', async () => {
      for (const [at, family] of Object.keys(FAMILIES).entries()) {
        for (const [nth, person] of ['U1', 'U12'].entries())
          await run({ nth: 2 * at + nth, who: [person, 'T1'], family }, opened);
        const others = await about('U12');
        expect(await about('U1'), family).not.toEqual([]);
        const target = { kind: 'person', channel: 'slack', person: 'U1' } as const;
        const { removed } = await opened.store.forgetting.preview(target);
        expect(
          Object.values(removed).some((count) => count > 0),
          family,
        ).toBe(true);
        await forget(opened, ['U1']);
        expect(await about('U1'), family).toEqual([]);
        expect((await about('U12')).length, family).toBe(others.length);
      }
    });

    test.each(
      SHAPES,
    )('what is left after "%s" is forgotten is what the others wrote (%s)', async (id, longer) => {
      const seed = Number(process.env.PARLEY_SEED ?? Date.now() % 1_000_000);
      const random = seeded(seed);
      const people: readonly Person[] = [
        [id, 'T1'],
        [longer, 'T1'],
        [id, 'T12'],
        ['U2', 'T1'],
      ];
      const families = Object.keys(FAMILIES).flatMap((each) => [each, each]);
      const steps = families.map((family, nth): Step => ({ nth, who: pick(random, people), family }));
      const tenant = pick(random, ['T1', undefined]);
      const isTarget = ([person, of]: Person) => person === id && (tenant === undefined || of === tenant);
      for (const step of steps) if (!isTarget(step.who)) await run(step, opened);
      const expected = comparable(await opened.dump());
      await opened.dispose();
      opened = await open();
      for (const step of steps) await run(step, opened);
      await forget(opened, tenant === undefined ? [id] : [id, tenant]);
      const rows = await opened.dump();
      if (tenant === undefined)
        expect(
          rows.filter((row) => names(row, id)),
          `PARLEY_SEED=${seed}`,
        ).toEqual([]);
      const left = comparable(rows);
      expect(
        [...expected].filter((row) => !left.has(row)),
        `lost, PARLEY_SEED=${seed}`,
      ).toEqual([]);
      const more = [...left].filter((row) => !expected.has(row) && !NAMELESS.test(row));
      expect(more, `left, PARLEY_SEED=${seed}`).toEqual([]);
    });

    it.each(
      SHAPES,
    )('%s, in values of earlier versions and of their replicas, by the words of the keys', async (id, longer) => {
      for (const [nth, family] of Object.keys(FAMILIES).entries())
        for (const [at, person] of [id, longer].entries())
          await run({ nth: 2 * nth + at, who: [person, 'T1'], family }, opened);
      const state = opened.store.keyed('adapter slack');
      for (const between of id.includes('@') ? ':/|,' : ':/|-._,')
        for (const person of [id, longer])
          await state.set(['preference', 'T1', person].join(between), `canary of ${person}`, DAY_MS, UNOWNED);
      await opened.sql('UPDATE keyed SET owner = NULL');
      const someone = someoneIn(opened, { nth: 0, who: [id, 'T1'] });
      const clock = clockOf(someone);
      const links = {
        rows: opened.store.keyedRows,
        sealing: { key: () => new Uint8Array(32), log: quiet },
        clock,
      };
      const target = { kind: 'person', channel: 'slack', person: id } as const;
      await nameOwners(target, sealedBy(someone, LINKS), links);
      const others = await about(longer);
      await forget(opened, [id]);
      expect(await about(id)).toEqual([]);
      expect((await about(longer)).length).toBe(others.length);
    });

    it('every stored value names its owner', async () => {
      for (const [nth, family] of Object.keys(FAMILIES).entries())
        await run({ nth, who: ['U1', 'T1'], family }, opened);
      const rows = await opened.dump();
      expect(rows.filter((row) => row.includes('"namespace"') && row.includes('"owner":null'))).toEqual([]);
    });
  });
}
