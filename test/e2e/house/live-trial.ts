/** Runs `parley doctor --live` with a person who does what the check asks for. */

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { channels } from '../../../adapters/registry.ts';
import type { Evidence } from '../../../src/cli/live/evidence.ts';
import { live } from '../../../src/cli/live/live.ts';
import type { LiveLimits } from '../../../src/cli/live/stage.ts';
import type { Clock } from '../../../src/core/clock.ts';
import { makeDataFolder } from './running-parley.ts';

/** What the person does at each instruction of an act, in order. */
export type Deeds<Stage> = Readonly<Record<string, readonly ((stage: Stage) => unknown)[]>>;

export interface Trial<Stage> {
  readonly only?: readonly string[];
  readonly deeds?: Deeds<Stage>;
  readonly limits?: Partial<LiveLimits>;
  readonly plant?: (stage: Stage) => void;
  /** Line that the person types at each instruction. */
  readonly types?: string;
  readonly interruptAt?: string;
}

export interface Tried {
  readonly code: number;
  readonly evidence: Evidence;
  readonly text: string;
  readonly said: readonly string[];
}

interface Setting<Stage> {
  readonly channel: string;
  /** The configuration file. */
  readonly settings: object;
  readonly deeds: Deeds<Stage>;
  readonly stage: Stage;
  readonly clock: Clock;
}

export async function tryLive<Stage>(
  { channel, settings, deeds, stage, clock }: Setting<Stage>,
  trial: Trial<Stage>,
): Promise<Tried> {
  const data = await makeDataFolder();
  const ended = new AbortController();
  const said: string[] = [];
  const typed: string[] = [];
  const done: Record<string, number> = {};
  const terminal = {
    isAttended: true,
    say: (line: string) => void said.push(line),
    typed: () => typed.shift(),
    instruct(act: string, text: string) {
      said.push(text);
      if (trial.types !== undefined) typed.push(trial.types);
      if (trial.interruptAt === act) return ended.abort();
      const at = done[act] ?? 0;
      done[act] = at + 1;
      const deed = (trial.deeds ?? deeds)[act]?.[at];
      Promise.resolve()
        .then(() => deed?.(stage))
        .catch((thrown) => said.push(`the person failed: ${String(thrown)}`));
    },
  };
  try {
    trial.plant?.(stage);
    const config = join(data.path, 'parley.yaml');
    await writeFile(config, JSON.stringify(settings));
    const out = join(data.path, 'evidence.json');
    const options = { live: channel, config, out, ...(trial.only && { only: trial.only }) };
    const deps = {
      channels: async () => channels,
      packages: async () => [],
      terminal: () => Promise.reject(new Error('no terminal')),
    };
    const limits = { personMs: 30_000, eventMs: 1_000, toolMs: 30_000, ...trial.limits };
    const code = await live(options, deps, { clock, limits, terminal, signal: ended.signal });
    const text = await readFile(out, 'utf8');
    return { code, text, said, evidence: JSON.parse(text) as Evidence };
  } finally {
    await data.remove();
  }
}

export const outcomes = ({ evidence }: Pick<Tried, 'evidence'>, result: string): readonly string[] =>
  evidence.acts.filter((act) => act.result === result).map(({ name, why }) => `${name}: ${why ?? ''}`);
