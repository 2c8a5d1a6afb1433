import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { DIALECTS } from '../../../sandbox/dialect/names.ts';
import { FAULTS } from '../../../sandbox/faults/effects.ts';
import { defaultOptions } from '../../../sandbox/options.ts';

const page = readFileSync(new URL('../../../docs/sandbox.md', import.meta.url), 'utf8');

describe('docs/sandbox.md', () => {
  it('names every fault with its modes, every option and every dialect', () => {
    for (const [fault, { modes }] of Object.entries(FAULTS)) {
      const row = page.split('\n').find((line) => line.startsWith(`| \`${fault}\` |`)) ?? '';
      expect(row).not.toBe('');
      if (modes.length > 1) for (const mode of modes) expect(row).toContain(`\`${mode}\``);
    }
    for (const option of Object.keys(defaultOptions('x'))) expect(page).toContain(`| \`${option}\` |`);
    for (const [part, values] of Object.entries(DIALECTS)) {
      const row = page.split('\n').find((line) => line.startsWith(`| \`${part}\` |`)) ?? '';
      for (const value of values) expect(row).toContain(`\`${value}\``);
    }
  });
});
