/** Tests that the Grafana dashboard asks only for metrics and labels that `/metrics` has. */

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { turnId } from '../../src/core/ids.ts';
import { createMetrics } from '../../src/observe/metrics.ts';

interface Dashboard {
  readonly panels: readonly {
    readonly title: string;
    readonly targets: readonly { readonly expr: string }[];
  }[];
}

const text = readFileSync(new URL('../../docs/grafana.json', import.meta.url), 'utf8');
const { panels } = JSON.parse(text) as Dashboard;

/** Returns the labels of each metric, after one value of each was recorded. */
async function knownMetrics(): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const replica = { replicas: 1, workspaces: 1, leaseMs: 1, takeovers: 1, checkpointsBehind: 1 };
  const metrics = createMetrics(async () => ({ waiting: 1, running: 1, replica }), '1.0.0');
  const turn = turnId('a');
  for (const [name, detail] of [
    ['claimed', { waitedMs: 1 }],
    ['routed', { agent: 'guide' }],
    ['answering', {}],
    ['move', { family: 'edit', outcome: 'done' }],
    ['trouble', { code: 'platform-idle' }],
    ['settled', { state: 'answered' }],
  ] as const)
    metrics.turnEvents.record({ turn, at: 1, name, detail });
  metrics.called({ operation: 'chat', outcome: 'ok', ms: 1 });
  metrics.platformChanged({ name: 'main', address: 'https://platform.example' }, true);
  metrics.channelStrayed('slack');
  metrics.rateLimited('slack', 'T1');
  const samples = (await metrics.text()).matchAll(/^([a-z_0-9]+)(?:\{(.*)\})? /gm);
  const labels = new Map<string, Set<string>>();
  for (const [, name = '', list = ''] of samples) {
    // Prometheus itself adds the label `instance`.
    const known = labels.get(name) ?? new Set(['instance']);
    for (const [, label = ''] of list.matchAll(/(\w+)="/g)) known.add(label);
    labels.set(name, known);
  }
  return labels;
}

it('shows only metrics that exist, selected and grouped by labels that they have', async () => {
  const known = await knownMetrics();
  const used = new Set<string>();
  for (const { title, targets } of panels) {
    for (const { expr } of targets) {
      const names = [...expr.matchAll(/\b(?:parley|process|nodejs)_\w+/g)].map(([name]) => name);
      const selected = [...expr.matchAll(/[{,]\s*(\w+)\s*=/g)].map(([, label = '']) => label);
      const grouped = [...expr.matchAll(/\b(?:by|on) \(([^)]*)\)/g)].flatMap(([, list = '']) =>
        list.split(',').map((label) => label.trim()),
      );
      expect(names.length, title).toBeGreaterThan(0);
      for (const name of names) {
        used.add(name.replace(/_bucket$/, ''));
        expect([...known.keys()], `${title}: ${name}`).toContain(name);
        for (const label of [...selected, ...grouped])
          expect([...(known.get(name) ?? [])], `${title}: ${name} by ${label}`).toContain(label);
      }
    }
  }
  const own = [...known.keys()].filter((name) => /^parley_/.test(name) && !/_(?:sum|count)$/.test(name));
  expect(own.map((name) => name.replace(/_bucket$/, '')).filter((name) => !used.has(name))).toEqual([]);
});
