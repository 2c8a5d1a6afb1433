/** A store with many turns, whose figures the host of a console gives to operators. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createOperations, operationsFor } from '../../../src/bridge/operations.ts';
import { compileRules } from '../../../src/core/access/compile.ts';
import { createPermissions } from '../../../src/core/access/permissions.ts';
import type { Rule } from '../../../src/core/access/rules.ts';
import { openStore, type Store } from '../../../src/store/index.ts';
import { filling } from '../../fakes/operate-turns.ts';
import type { TestHost } from './rig.ts';

const clock = { now: Date.now, wait: () => Promise.resolve() };
const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
/** Limits of Slack's `chat.update`, as an example. */
const LIMITS = { edit: { gapMs: 0, perMinute: 50 } };

/** Lets the host answer the operator's queries from the store, to the people whom the rule names. */
export const operating =
  (store: Store, ...who: readonly string[]) =>
  (host: TestHost): void => {
    const rule: Rule = { effect: 'allow', actions: ['operate'], who, place: 'rules.yaml:1' };
    const rules = compileRules({ rules: who.length > 0 ? [rule] : [], quotas: [], groups: new Map() });
    const adapters = ['slack', 'teams'].map((name) => ({ name, limits: LIMITS }));
    const operations = createOperations({ store, stateKey: () => new Uint8Array(32), clock }, adapters, log);
    const permissions = createPermissions(() => rules, []);
    Object.assign(host, { operations: operationsFor(permissions, operations) });
  };

/** Opens a store with ended turns of the last hours. */
export async function openFilledStore(turns: number) {
  const folder = mkdtempSync(join(tmpdir(), 'parley-operate-'));
  const file = join(folder, 'parley.sqlite');
  const store = await openStore({ file, clock, log });
  const database = new DatabaseSync(file);
  for (const statement of filling(turns, Date.now())) database.exec(statement.replaceAll('parley.', ''));
  database.close();
  const close = async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  };
  return { store, close };
}
