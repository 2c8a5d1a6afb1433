/** Stores corrections of answers in a fake library, which records the pairs instead of sending them to the platform. */

import type { Permissions } from '../../src/core/access/permissions.ts';
import { createAccountTable } from '../../src/core/agents/access.ts';
import type { Library } from '../../src/core/agents/library.ts';
import {
  type Corrections,
  type CorrectionsDeps,
  createCorrections,
} from '../../src/core/corrections/corrections.ts';
import { agentName } from '../../src/core/ids.ts';
import { memoryKeyed } from '../unit/slack/keyed.ts';
import { permissionsOf } from './permissions.ts';
import { agent } from './samples.ts';

export interface Pair {
  readonly question: string;
  readonly answer: string;
  readonly workspace: string;
  readonly account: string | undefined;
}

export interface FakeCorrections extends Corrections {
  readonly pairs: Pair[];
  /** Behaviour of the platform for the next pairs. */
  platform: 'stores' | 'does not confirm' | Error;
  /** The platform responds when this resolves; undefined: at once. */
  held: Promise<void> | undefined;
}

/** The agents `knowledge` and `guide` store corrections in the workspace "handbook". */
export function correctionsOf(
  permissions: Permissions = permissionsOf(),
  {
    libraryOf = (fake: Library): Library | undefined => fake,
    ...over
  }: Partial<CorrectionsDeps> & { libraryOf?: (fake: Library) => Library | undefined } = {},
): FakeCorrections {
  const pairs: Pair[] = [];
  const addPair: Library['addPair'] = async (pair, workspace, { account }) => {
    await fake.held;
    if (fake.platform instanceof Error) throw fake.platform;
    pairs.push({ ...pair, workspace, account });
    return fake.platform === 'stores' ? 'stored' : 'unconfirmed';
  };
  const library = libraryOf({ addPair } as Library);
  const named = ['knowledge', 'guide', 'other'].map((name) => ({
    ...agent(name),
    ...(name !== 'other' && { workspace: 'handbook' }),
    ...(library && { library }),
  }));
  const corrections = createCorrections({
    directory: { agents: new Map(named.map((each) => [each.name, each])), fallback: agentName('knowledge') },
    permissions,
    policy: { accounts: createAccountTable([]), unmapped: 'service', rooms: 'service' },
    room: () => ({}),
    signsIn: () => false,
    sent: memoryKeyed(),
    digest: (text) => text,
    noteAct: async () => undefined,
    log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
    clock: { now: Date.now, wait: async () => undefined },
    signal: new AbortController().signal,
    ...over,
  });
  const fake: FakeCorrections = Object.assign(corrections, {
    ...{ pairs, platform: 'stores' as const, held: undefined },
  });
  return fake;
}
