import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { agentName, turnId } from '../../../src/core/ids.ts';
import { createMediaLinks } from '../../../src/web/media-links.ts';
import { createSealer } from '../../../src/web/sealing.ts';
import { createSourceLinks } from '../../../src/web/source-links.ts';

const HOUR = 3_600_000;
const key = randomBytes(32);
const grant = {
  turn: turnId('t1'),
  key: 'manual.pdf',
  link: 'https://docs.example/manual#:~:text=The%20gear',
};

function makeLinks({ hours = 24, own = key }: { hours?: number; own?: Uint8Array } = {}) {
  let now = 1_000 * HOUR;
  const clock = { now: () => now, wait: async () => undefined };
  const pass = (ms: number) => {
    now += ms;
  };
  return { links: createSourceLinks(own, clock, hours * HOUR), clock, pass };
}

const sealed = (links = makeLinks().links): string => links.seal(grant) ?? '';

describe('S25: source links', () => {
  it('open their source, and hide their content', () => {
    const { links } = makeLinks();
    expect(links.open(sealed(links))).toEqual({ kind: 'valid', grant });
    expect(sealed(links)).toMatch(/^[\w-]+$/);
    expect(Buffer.from(sealed(links), 'base64url').toString('latin1')).not.toContain('docs.example');
    expect(sealed(links)).toBe(sealed(links));
  });

  it('name only the document once they have expired', () => {
    const { links, pass } = makeLinks();
    const made = sealed(links);
    pass(24 * HOUR - 1);
    expect(links.open(made).kind).toBe('valid');
    pass(1);
    expect(links.open(made)).toEqual({ kind: 'expired', grant });
    pass(10_000 * HOUR);
    expect(links.open(made)).toEqual({ kind: 'expired', grant });
  });

  it('follow a shorter lifetime immediately, and are off if the pages are off', () => {
    const made = sealed();
    const short = makeLinks({ hours: 2 });
    short.pass(2 * HOUR);
    expect(short.links.open(made).kind).toBe('expired');
    const off = makeLinks({ hours: 0 }).links;
    expect(off.open(made)).toEqual({ kind: 'expired', grant });
    expect(off.seal(grant)).toBeUndefined();
  });

  it.each([
    'mailto:ada@example.org',
    'mailto:ada@example.org?subject=https:',
    'javascript:alert(1)',
    'data:text/html,x',
    'https://user:pass@docs.example/x',
    'https://docs.example/\u202eexe',
    '//docs.example',
    '',
  ])('are not created for %j', (link) => {
    expect(makeLinks().links.seal({ ...grant, link })).toBeUndefined();
  });

  it('are not created if the address would be too long for the channels', () => {
    const { links } = makeLinks();
    const linkOf = (length: number) => `http://docs.example/${'x'.repeat(length)}`;
    expect(links.seal({ ...grant, link: linkOf(10_000) })).toBeUndefined();
    const sizes = Array.from({ length: 40 }, (_, nth) => links.seal({ ...grant, link: linkOf(1_020 + nth) }));
    expect(Math.max(...sizes.map((each) => each?.length ?? 0))).toBe(1_500);
    expect(sizes.at(0)).toBeDefined();
    expect(sizes.at(-1)).toBeUndefined();
  });

  it('cannot be altered, cut or created with another key', () => {
    const { links } = makeLinks();
    const made = sealed(links);
    expect(makeLinks({ own: randomBytes(32) }).links.open(made)).toEqual({ kind: 'forged' });
    fc.assert(
      fc.property(fc.nat(made.length - 1), fc.constantFrom('A', 'z', '-', '_', '0', ''), (at, mark) => {
        const altered = made.slice(0, at) + mark + made.slice(at + 1);
        expect(links.open(altered).kind).toBe(altered === made ? 'valid' : 'forged');
      }),
    );
    for (let to = 0; to < made.length; to++) {
      expect(links.open(made.slice(0, to))).toEqual({ kind: 'forged' });
    }
    for (const text of ['.', '../..', 'x'.repeat(100_000)]) {
      expect(links.open(text)).toEqual({ kind: 'forged' });
    }
  });

  it('do not open as images, nor images as sources', () => {
    const { links, clock } = makeLinks();
    const media = createMediaLinks(key, clock);
    const image = {
      id: 'm1',
      kind: 'image',
      name: 'https://docs.example/',
      ref: { kind: 'file-id', id: '1' },
    } as const;
    // The account looks like an address, so that the content of the image's link would also be valid in a source
    // link.
    const from = { turn: turnId('t1'), agent: agentName('helper'), account: 'https://docs.example/' };
    const asImage = media.seal(image, from) ?? '';
    expect(media.open(sealed(links))).toEqual({ kind: 'forged' });
    expect(links.open(asImage)).toEqual({ kind: 'forged' });
  });

  it('of an earlier version open only with all members of a grant', () => {
    const { links } = makeLinks();
    const { turn, link } = grant;
    const openedOf = (content: unknown) =>
      links.open(createSealer(key, 'source link').seal(JSON.stringify(content)) ?? '').kind;
    expect(openedOf([1, turn, 'k', link])).toBe('expired');
    for (const content of [
      null,
      7,
      {},
      [],
      ['1', turn, 'k', link],
      [1, 2, 'k', link],
      [1, turn, 3, link],
      [1, turn, 'k', 4],
      [1, turn, 'k', [link]],
      [1, turn, 'k', 'mailto:ada@example.org'],
    ])
      expect(openedOf(content), JSON.stringify(content)).toBe('forged');
  });
});

describe('a sealed text', () => {
  it('is at most 8,192 characters, so that it can be opened again', () => {
    const { seal, open } = createSealer(key, 'test');
    const longest = seal('é'.repeat(3_058)) ?? '';
    expect(longest).toHaveLength(8_192);
    expect(open(longest)).toBe('é'.repeat(3_058));
    expect(seal('x'.repeat(6_117))).toBeUndefined();
  });
});
