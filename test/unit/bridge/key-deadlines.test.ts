import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { keyDeadlines } from '../../../src/bridge/agents.ts';
import { loadConfig } from '../../fakes/load-config.ts';

const now = Date.parse('2026-06-01T00:00:00Z');

function findings(expiresAt: string | undefined) {
  const folder = mkdtempSync(join(tmpdir(), 'parley-keys-'));
  const file = join(folder, 'parley.yaml');
  const deadline = expiresAt === undefined ? '' : `, expiresAt: ${expiresAt}`;
  writeFileSync(
    file,
    `platform: { baseUrl: "https://platform.example" }
agents:
  painter: { interface: lite-key, credential: { kind: api-key, key: a-key${deadline} } }
`,
  );
  try {
    return keyDeadlines(loadConfig({ environment: {}, file }).config, now);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('the deadline of an API key (AUT-18)', () => {
  it.each([
    ['2026-05-31T23:59:59Z', false, /expired at/],
    ['2026-06-01T12:00:00Z', false, /expires in 0 days/],
    ['2026-06-15T00:00:00Z', false, /expires in 14 days/],
    ['2026-06-16T00:00:00Z', true, /valid until/],
  ])('%s', (expiresAt, ok, detail) => {
    expect(findings(expiresAt)).toEqual([
      { what: 'agent painter, API key', ok, detail: expect.stringMatching(detail) },
    ]);
  });

  it('is not reported if it is not configured', () => expect(findings(undefined)).toEqual([]));

  it('must be a date', () => expect(() => findings('soon')).toThrow(/expiresAt/));
});
