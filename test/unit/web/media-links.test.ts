import { createCipheriv, hkdfSync, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { agentName, turnId } from '../../../src/core/ids.ts';
import { createMediaLinks, type MediaLinks } from '../../../src/web/media-links.ts';

const HOUR = 3_600_000;
/** Start time of the test's clock: 2026-11-01T00:00:00Z. */
const START = 1_793_491_200_000;
let now = START;
let links: MediaLinks;
beforeEach(() => {
  now = START;
  links = createMediaLinks(key, clock);
});
const clock = { now: () => now, wait: async () => undefined };
const key = Buffer.alloc(32, 7);
const medium = {
  id: 'm1',
  kind: 'image',
  name: 'plan ünique.png',
  ref: { kind: 'file-id', id: '4493041505002323001' },
} as const;
const from = { turn: turnId('t1'), agent: agentName('helper'), account: 'member-one' };

/** Returns a link, or an empty text if none can be made. */
const give = (...of: Parameters<MediaLinks['seal']>): string => links.seal(...of) ?? '';

/** Encrypts and authenticates a text as the bridge does, so that tests can make links with any content. */
function sealedParts(plain: string, withKey: Uint8Array = key) {
  const cipherKey = Buffer.from(hkdfSync('sha256', withKey, '', 'media link: encryption', 32));
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', cipherKey, iv);
  const sealed = Buffer.concat([cipher.update(plain), cipher.final()]);
  return { iv, tag: cipher.getAuthTag(), sealed };
}

function seal(value: unknown, withKey: Uint8Array = key): string {
  const { iv, tag, sealed } = sealedParts(JSON.stringify(value), withKey);
  return Buffer.concat([iv, tag, sealed]).toString('base64url');
}

describe('S25: media links', () => {
  it('open their medium', () => {
    expect(links.open(give(medium, from))).toEqual({
      kind: 'valid',
      grant: { turn: 't1', agent: 'helper', account: 'member-one', ref: medium.ref, name: medium.name },
    });
    const { account: _, ...unnamed } = from;
    expect(links.open(give(medium, unnamed))).toEqual({
      kind: 'valid',
      grant: { turn: 't1', agent: 'helper', ref: medium.ref, name: medium.name },
    });
  });

  it('hide their content, and stay equal for a while', () => {
    const sealed = give(medium, from);
    expect(sealed).toMatch(/^[\w-]+$/);
    expect(Buffer.from(sealed, 'base64url').toString('latin1')).not.toContain('member-one');
    now += HOUR - 1;
    const later = give(medium, from);
    now += 1;
    expect(give(medium, from)).toBe(later);
    expect(give(medium, { ...from, turn: turnId('t2') })).not.toBe(later);
  });

  it.each([
    [START, 24 * HOUR],
    [START + 1, 25 * HOUR],
    [START + HOUR, 25 * HOUR],
  ])('made at %i expire 24 hours later, at the next full hour', (made, life) => {
    now = made;
    const sealed = give(medium, from);
    now = START + life - 1;
    expect(links.open(sealed).kind).toBe('valid');
    now = START + life;
    expect(links.open(sealed)).toEqual({ kind: 'expired' });
  });

  it('cannot be altered, cut or created with another key', () => {
    const sealed = give(medium, from);
    expect(createMediaLinks(randomBytes(32), clock).open(sealed)).toEqual({ kind: 'forged' });
    fc.assert(
      fc.property(fc.nat(sealed.length - 1), fc.constantFrom('A', 'z', '-', '_', '0', ''), (at, mark) => {
        const altered = sealed.slice(0, at) + mark + sealed.slice(at + 1);
        expect(links.open(altered).kind).toBe(altered === sealed ? 'valid' : 'forged');
      }),
    );
    for (const text of ['', '.', '../..', 'A'.repeat(38), 'x'.repeat(100_000)])
      expect(links.open(text)).toEqual({ kind: 'forged' });
  });

  it.each([
    '=',
    '==',
    '.',
    '%',
    ' ',
    '\n',
    '?x=1',
  ])('have exactly one address: with %j appended, they open nothing', (more) => {
    expect(links.open(`${give(medium, from)}${more}`)).toEqual({ kind: 'forged' });
  });

  it('with a shortened tag count as forged', () => {
    const { iv, tag } = sealedParts('');
    for (const bytes of [0, 4, 8, 12, 15]) {
      const cut = Buffer.concat([iv, tag.subarray(0, bytes)]).toString('base64url');
      expect(links.open(cut)).toEqual({ kind: 'forged' });
    }
  });

  const refOf = (length: number) => ({ kind: 'url', url: 'https://x.example/'.padEnd(length, 'x') }) as const;
  const ofAddress = (length: number) => links.seal({ ...medium, ref: refOf(length) }, from);

  it('are not given out if the medium’s address makes them too long to open', () => {
    for (const length of [1_000, 6_000]) {
      const sealed = ofAddress(length) ?? '';
      expect(links.open(sealed)).toMatchObject({ kind: 'valid', grant: { ref: refOf(length) } });
    }
    for (const length of [6_100, 8_192, 100_000]) expect(ofAddress(length)).toBeUndefined();
  });

  it('open for a medium with a long name, which they shorten', () => {
    const sealed = give({ ...medium, name: '🙂'.repeat(5_000) }, from);
    expect(links.open(sealed)).toMatchObject({ kind: 'valid', grant: { name: '🙂'.repeat(100) } });
  });

  it('are read up to 8,192 characters', () => {
    const written = (length: number) =>
      seal([START + HOUR, 't1', 'helper', null, { kind: 'file-id', id: '1' }, 'x'.repeat(length)]);
    const name = 8_192 * 0.75 - Buffer.from(written(0), 'base64url').byteLength;
    expect(written(name)).toHaveLength(8_192);
    expect(links.open(written(name)).kind).toBe('valid');
    expect(links.open(written(name + 1))).toEqual({ kind: 'forged' });
  });
});

describe('links that another version gave out', () => {
  it.each([
    [
      'sexbMl9-A8gVUoh0zdTnl1hqYZUIDxevxL_ofajQq-pzfIgPYChuEMzvYCb_P2ayzAf0bPFrh926bsZ4LwaTm-cwMdJYrqwSRuPYjCayg8gp5F6OPI9ZvNS4yz0XX3RVJtLuWH4Sj4sGZlVLgOIxEA',
      { account: 'member-one', ref: { kind: 'file-id', id: '4493' } },
    ],
    [
      'TgzNhURyWmeeyQAGD-jpxpwJPQV0-VWn-F8f8aE0rhCE76n1Ft6gflFXB4arZMyiSA10oZ4uW-RMkjFg379QcUP58TtXy8nErIrO8rf0bscpL29N4NX35AfTqcXAh6ORhy28-SHIdxoPxxWtV0ZVtREe62_s6p_9',
      { ref: { kind: 'url', url: 'https://x.example/a.png' } },
    ],
  ] as const)('still open, and are still created: %s', (sealed, { ref, ...account }) => {
    const grant = { turn: turnId('t1'), agent: agentName('helper'), ...account, ref, name: 'plan.png' };
    expect(links.open(sealed)).toEqual({ kind: 'valid', grant });
    expect(give({ id: 'm1', kind: 'image', ref, name: 'plan.png' }, grant)).toBe(sealed);
  });

  const file = { kind: 'file-id', id: '1' };
  it('ignore unknown members', () => {
    const written = seal([START + 1, 't1', 'helper', 7, { ...file, more: true }, 'plan.png', 'more']);
    expect(links.open(written)).toEqual({
      kind: 'valid',
      grant: { turn: 't1', agent: 'helper', ref: file, name: 'plan.png' },
    });
  });

  it.each([
    null,
    'text',
    {},
    [],
    [null, 't1', 'helper', null, file, 'plan.png'],
    [START + 1, 7, 'helper', null, file, 'plan.png'],
    [START + 1, 't1', 7, null, file, 'plan.png'],
    [START + 1, 't1', 'helper', null, file],
    [START + 1, 't1', 'helper', null, null, 'plan.png'],
    [START + 1, 't1', 'helper', null, 'file-id', 'plan.png'],
    [START + 1, 't1', 'helper', null, { kind: 'file-id', id: 7 }, 'plan.png'],
    [START + 1, 't1', 'helper', null, { kind: 'file-id', url: 'https://x.example/a.png' }, 'plan.png'],
    [START + 1, 't1', 'helper', null, { kind: 'url', id: '1' }, 'plan.png'],
    [START + 1, 't1', 'helper', null, { kind: 'url', url: 7 }, 'plan.png'],
    [START + 1, 't1', 'helper', null, { kind: 'path', id: '1', url: 'https://x.example/a.png' }, 'plan.png'],
  ])('with other content count as forged: %j', (value) => {
    expect(links.open(seal(value))).toEqual({ kind: 'forged' });
  });
});
