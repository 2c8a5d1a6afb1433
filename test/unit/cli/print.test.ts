import { expect, it } from 'vitest';
import { findingLine, plain } from '../../../src/cli/print.ts';
import type { Finding } from '../../../src/core/agents/agent.ts';

it('removes control characters from a text', () => {
  expect(plain('\u001b]8;;http://evil\u0007x')).toBe(']8;;http://evilx');
});

it('prints a finding as good, as a fault, or as not tested', () => {
  const line = (found: Partial<Finding>) => findingLine({ what: 'key', ok: true, detail: 'good', ...found });
  expect(line({})).toBe('  ok   key: good');
  expect(line({ ok: false })).toBe('FAULT  key: good');
  expect(line({ tested: false })).toBe('  --   key: good');
});
