import { expect, it } from 'vitest';
import { findingLine, numbered, plain } from '../../../src/cli/print.ts';
import type { Finding } from '../../../src/core/agents/agent.ts';
import type { Source } from '../../../src/core/reply.ts';

const source = (key: string, mark?: number): Source => ({
  key,
  title: `Title ${key}`,
  kind: 'document',
  fragments: [],
  ...(mark !== undefined && { mark }),
});

it('removes control characters from a text', () => {
  expect(plain('\u001b]8;;http://evil\u0007x')).toBe(']8;;http://evilx');
});

it('numbers the sources of JSON by the marks of the text, the others after them', () => {
  const list = numbered([source('a'), source('b', 1), source('c', 3), source('d')]);
  expect(list.map(({ number, source: { key } }) => `${number}${key}`)).toEqual(['1b', '2a', '3c', '4d']);
});

it('prints a finding as good, as a fault, or as not tested', () => {
  const line = (found: Partial<Finding>) => findingLine({ what: 'key', ok: true, detail: 'good', ...found });
  expect(line({})).toBe('  ok   key: good');
  expect(line({ ok: false })).toBe('FAULT  key: good');
  expect(line({ tested: false })).toBe('  --   key: good');
});
