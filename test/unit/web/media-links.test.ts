import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { agentName, turnId } from '../../../src/core/ids.ts';
import { createMediaLinks } from '../../../src/web/media-links.ts';

const HOUR = 3_600_000;
let now = 1_000 * HOUR;
const clock = { now: () => now, wait: async () => undefined };
const key = randomBytes(32);
const links = createMediaLinks(key, clock);
const medium = {
  id: 'm1',
  kind: 'image',
  name: 'plan ünique.png',
  ref: { kind: 'file-id', id: '4493041505002323001' },
} as const;
const from = { turn: turnId('t1'), agent: agentName('helper'), account: 'member-one' };

describe('S25: media links', () => {
  it('open what they were made for', () => {
    expect(links.open(links.seal(medium, from))).toEqual({
      kind: 'valid',
      grant: { turn: 't1', agent: 'helper', account: 'member-one', ref: medium.ref, name: medium.name },
    });
  });

  it('show nothing of what is in them, and stay the same for a while', () => {
    const sealed = links.seal(medium, from);
    expect(sealed).toMatch(/^[\w-]+$/);
    expect(Buffer.from(sealed, 'base64url').toString('latin1')).not.toContain('member-one');
    expect(links.seal(medium, from)).toBe(sealed);
    expect(links.seal(medium, { ...from, turn: turnId('t2') })).not.toBe(sealed);
  });

  it('expire', () => {
    const sealed = links.seal(medium, from);
    now += 24 * HOUR - 1;
    expect(links.open(sealed).kind).toBe('valid');
    now += HOUR + 1;
    expect(links.open(sealed)).toEqual({ kind: 'expired' });
  });

  it('cannot be altered, cut or made with another key', () => {
    const sealed = links.seal(medium, from);
    expect(createMediaLinks(randomBytes(32), clock).open(sealed)).toEqual({ kind: 'forged' });
    fc.assert(
      fc.property(fc.nat(sealed.length - 1), fc.constantFrom('A', 'z', '-', '_', '0', ''), (at, mark) => {
        const altered = sealed.slice(0, at) + mark + sealed.slice(at + 1);
        expect(links.open(altered).kind).toBe(altered === sealed ? 'valid' : 'forged');
      }),
    );
    for (const text of ['', '.', '../..', 'x'.repeat(100_000)])
      expect(links.open(text)).toEqual({ kind: 'forged' });
  });
});
