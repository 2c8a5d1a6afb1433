import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { agentName, turnId } from '../../../src/core/ids.ts';
import { BridgeError } from '../../../src/errors.ts';
import { createMediaLinks } from '../../../src/web/media-links.ts';
import { html, passageHtml } from '../../../src/web/passage-html.ts';
import { createWebServer } from '../../../src/web/server.ts';
import { createSourceLinks, type SourceGrant } from '../../../src/web/source-links.ts';
import { type SourceView, sourcePage } from '../../../src/web/source-page.ts';
import { quiet } from '../../fakes/quiet.ts';

const HOUR = 3_600_000;
const DOCUMENT = 'https://docs.example/manual?a=1&b=2#:~:text=The%20gear';
const view: SourceView = { number: 2, title: 'Gear manual', passages: ['The **gear** is checked.'] };

let warned: unknown[][] = [];
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  warned = [];
});

async function open(find: (grant: SourceGrant) => Promise<SourceView | undefined> = async () => view) {
  let now = 1_000 * HOUR;
  const clock = { ...systemClock, now: () => now };
  const key = randomBytes(32);
  const links = createSourceLinks(key, clock, 24 * HOUR);
  const media = createMediaLinks(key, clock);
  const server = createWebServer({
    place: { host: '127.0.0.1', port: 0, setting: 'PORT', avoid: [] },
    clock: systemClock,
    log: { ...quiet, warn: (...facts: unknown[]) => void warned.push(facts) },
    metrics: { contentType: 'text/plain', text: async () => '' },
    media: { links: media, openMedia: () => Promise.reject(new Error('no media')) },
    sources: { links, hours: 24, find },
    readiness: async () => [],
  });
  closing.push(() => server.close(0));
  const port = await server.listen();
  const get = async (sealed: string, init?: RequestInit) => {
    const response = await fetch(`http://127.0.0.1:${port}/sources/${sealed}`, init);
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  const pass = (ms: number) => {
    now += ms;
  };
  const sealed = links.seal({ turn: turnId('t1'), key: 'k1', link: DOCUMENT }) ?? '';
  return { get, pass, sealed, media, port };
}

const HREF = DOCUMENT.replace('&', '&amp;');

describe('the page of a source', () => {
  it('shows the passage that the answer used, and links to it in the document', async () => {
    const asked: SourceGrant[] = [];
    const { get, sealed } = await open(async (grant) => {
      asked.push(grant);
      return view;
    });
    const { status, text } = await get(sealed);
    expect(status).toBe(200);
    expect(asked).toEqual([{ turn: 't1', key: 'k1', link: DOCUMENT }]);
    expect(text).toContain('Source 2 of an answer');
    expect(text).toContain('<h1 dir="auto">Gear manual</h1>');
    expect(text).toContain('The <strong>gear</strong> is checked.');
    expect(text).toContain(`href="${HREF}"`);
    expect(text).toContain('docs.example</span>');
    expect(text).toContain('at most 24 hours');
  });

  it('links only to the document after a day, if the answer is gone, or if it was private', async () => {
    const { get, pass, sealed } = await open();
    pass(24 * HOUR);
    const later = await get(sealed);
    const { get: getGone, sealed: gone } = await open(async () => undefined);
    for (const { status, text } of [later, await getGone(gone)]) {
      expect(status).toBe(200);
      expect(text).not.toContain('gear</strong>');
      expect(text).not.toContain('Gear manual');
      expect(text).toContain(`href="${HREF}"`);
      expect(text).toContain('no longer kept');
    }
  });

  it('links to the document while the store does not answer', async () => {
    const { get, sealed } = await open(() =>
      Promise.reject(new BridgeError('store-unavailable', 'disk full')),
    );
    const { status, text } = await get(sealed);
    expect(status).toBe(503);
    expect(text).toContain(`href="${HREF}"`);
    expect(text).not.toContain('disk full');
    expect(warned).toEqual([
      [{ turn: 't1', code: 'store-unavailable' }, 'the passages of a source could not be read'],
    ]);
  });

  it('ignores queries that a service appends to its address', async () => {
    const { get, sealed } = await open();
    expect((await get(`${sealed}?utm_source=chat&x=/?`)).status).toBe(200);
  });

  it('is refused for links that were altered, cut or created for images', async () => {
    const { get, sealed, media } = await open();
    const image =
      media.seal(
        { id: 'm', kind: 'image', name: DOCUMENT, ref: { kind: 'file-id', id: '1' } },
        { turn: turnId('t1'), agent: agentName('a'), account: DOCUMENT },
      ) ?? '';
    const wrong = [
      `${sealed}A`,
      sealed.slice(0, -1),
      `${sealed.startsWith('A') ? 'B' : 'A'}${sealed.slice(1)}`,
      image,
      '',
      '..%2f',
      `${sealed}/x`,
    ];
    for (const each of wrong) {
      const { status, text } = await get(each);
      expect(status, each).toBe(404);
      expect(text).toContain('There is nothing at this address');
      expect(text).toContain('The link may be incomplete. Open the source from the answer again.');
      expect(text).not.toMatch(/href|docs\.example|gear/);
    }
  });

  it('is not opened as an image', async () => {
    const { sealed, port } = await open();
    expect((await fetch(`http://127.0.0.1:${port}/media/${sealed}`)).status).toBe(404);
  });

  it('answers only reads, and HEAD without a body', async () => {
    const { get, sealed } = await open();
    const post = await get(sealed, { method: 'POST', body: 'x' });
    expect(post.status).toBe(405);
    expect(post.text).toContain('<h1>Not possible</h1>\n<p>This page can only be read.</p>');
    const head = await get(sealed, { method: 'HEAD' });
    expect(head.status).toBe(200);
    expect(head.text).toBe('');
  });

  it('limits the concurrent reads', async () => {
    const waiting: (() => void)[] = [];
    let isSlow = true;
    const { get, sealed } = await open(async () =>
      isSlow ? new Promise((done) => waiting.push(() => done(view))) : view,
    );
    const all = Array.from({ length: 17 }, () => get(sealed));
    const first = await Promise.race(all);
    expect(first.status).toBe(503);
    expect(waiting).toHaveLength(16);
    for (const go of waiting) go();
    const statuses = (await Promise.all(all)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(16);
    isSlow = false;
    expect((await get(sealed)).status).toBe(200);
  });
});

describe('the words of the page', () => {
  const FOOT = (time: string) =>
    `<footer>Everyone who has this address can read this page. Passages stay here for at most ${time}; then the address leads to the document only.</footer>`;
  const OPENER =
    '<p class="open"><a href="https://docs.example/a" rel="noopener noreferrer nofollow">Open the document</a> <span class="host">docs.example</span></p>';
  const CUT =
    '<p class="note">Further passages are too long for this page. Open the document to read them.</p>';
  const NONE = '<p class="note">The platform sent no passage from this source.</p>';
  const ONE = 'The passage that the answer used';
  const SEVERAL = 'Passages that the answer used, best match first';
  const article = (text: string) => `<article dir="auto"><p>${text}</p></article>`;

  const bodyOf = (passages: readonly string[], { link = 'https://docs.example/a', hours = 24 } = {}) => {
    const page = sourcePage({ number: 2, title: 'Manual', passages }, link, hours);
    return /<main>\n(.*)\n<\/main>/s.exec(page)?.[1]?.split('\n');
  };
  const expected = (heading: string, passages: string, note = '') => [
    '<p class="kind">Source 2 of an answer</p>',
    '<h1 dir="auto">Manual</h1>',
    OPENER,
    `<h2>${heading}</h2>`,
    passages,
    note,
    FOOT('24 hours'),
  ];

  it.each([
    ['one passage', ['a'], expected(ONE, article('a'))],
    ['two passages', ['a', 'b'], expected(SEVERAL, article('a') + article('b'))],
    ['a blank passage beside another', ['', 'b'], expected(ONE, article('b'))],
    ['none', [], expected(SEVERAL, NONE)],
    ['ten passages', Array(10).fill('a'), expected(SEVERAL, article('a').repeat(10))],
    ['eleven passages', Array(11).fill('a'), expected(SEVERAL, article('a').repeat(10), CUT)],
    ['eleven passages of which ten are blank', [...Array(10).fill(''), 'a'], expected(SEVERAL, '', CUT)],
  ])('describe the passages of %s', (_, passages, lines) => {
    expect(bodyOf(passages)).toEqual(lines);
  });

  it('say 1 hour', () => {
    expect(bodyOf(['a'], { hours: 1 })?.at(-1)).toBe(FOOT('1 hour'));
  });

  it('contain no link if the document has no page', () => {
    for (const link of ['mailto:ada@example.org?subject=https:', 'javascript:alert(1)'])
      expect(bodyOf(['a'], { link })?.[2]).toBe('');
    expect(bodyOf(['a'], { link: 'http://docs.example/a' })?.[2]).toBe(OPENER.replace('https', 'http'));
  });

  it('include up to 200,000 bytes of passages', () => {
    const long = '#\n'.repeat(1_500);
    const bytes = (text: string) => Buffer.byteLength(passageHtml(text).text);
    const rest = '#\n'.repeat(1_190);
    const room = 200_000 - 5 * bytes(long) - bytes(rest) - bytes('x') + 1;
    const shown = (chars: number) =>
      bodyOf([...Array(5).fill(long), `${rest}\n${'x'.repeat(chars)}`])?.join('');
    expect(shown(room)).toContain('xx</p></article>');
    expect(shown(room)).not.toContain(CUT);
    expect(shown(room + 1)).not.toContain('xx</p></article>');
    expect(shown(room + 1)).toContain(CUT);
  });
});

describe('the security of the page', () => {
  it('no script, no frame, no referrer, no index, no cache, on every page', async () => {
    const { get, pass, sealed } = await open();
    const pages = [await get(sealed), await get('forged'), await get(sealed, { method: 'POST' })];
    pass(48 * HOUR);
    pages.push(await get(sealed));
    for (const { headers, text } of pages) {
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[^']+';/);
      for (const part of ["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'", 'sandbox'])
        expect(policy).toContain(part);
      expect(policy).not.toMatch(/unsafe|allow-scripts|allow-same-origin|https?:/);
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('x-robots-tag')).toContain('noindex');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(text).toContain('<meta name="robots" content="noindex, nofollow, noarchive">');
      expect(text).toContain('<title>Source of an answer</title>');
    }
  });

  it('text is escaped for attributes as well', () => {
    const given = `"'<>&`;
    expect(html`<a title="${given}">${given}</a>`.text).toBe(
      '<a title="&quot;&#39;&lt;&gt;&amp;">&quot;&#39;&lt;&gt;&amp;</a>',
    );
  });

  it('links to nothing but http and https', () => {
    for (const link of [
      'javascript:alert(1)',
      'mailto:a@b.example',
      'file:///etc/passwd',
      'https://u:p@x.example',
    ])
      expect(sourcePage(view, link, 24)).not.toContain('href');
  });

  it('shows a table that would fill up with empty cells as plain text', () => {
    const head = 'a|'.repeat(100);
    const table = `${head}\n${'-|'.repeat(100)}\n${'b|\n'.repeat(30)}`;
    const page = sourcePage({ number: 1, title: 'x', passages: [table, 'a|b\n-|-\n1|2'] }, DOCUMENT, 24);
    expect(page).toContain(`<p class="plain">${head}`);
    expect(page).toContain('<td>1</td><td>2</td>');
  });
});
