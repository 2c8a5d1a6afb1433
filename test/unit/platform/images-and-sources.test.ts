import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseBase } from '../../../src/platform/base-url.ts';
import { InlineImages } from '../../../src/platform/gateways/asking.ts';
import { ImageScanner, imageRef } from '../../../src/platform/media/image-refs.ts';
import { createByteCache, linkFor } from '../../../src/platform/media/images.ts';
import { fileDetail, previewFile, temporaryLinks } from '../../../src/platform/operations/media.ts';
import type { Reference } from '../../../src/platform/operations/references.ts';
import { groupSources, passageOfReference, passagesIn, passagesText } from '../../../src/platform/sources.ts';
import { documentedDeployment } from '../../../src/platform/wire/deployment.ts';
import { cpuMs } from '../../fakes/cost.ts';
import { createVirtualClock } from '../../fakes/virtual-clock.ts';

const base = parseBase('https://host/app', false);

describe('images in Markdown', () => {
  it.each([
    ['![a](1234)', ['1234']],
    ['![](1234)', ['1234']],
    ['![a [b] c](1234 "title") text ![d](<56 78>)', ['1234', '56 78']],
    ['![a]( 1234 )![b](5678)', ['1234', '5678']],
    ['![outer ![inner](1234) x](5678)', ['1234']],
    ['!![a](1234)', ['1234']],
    ['![a](x(y)z)', ['x(y)z']],
    ['\\![a](1234) [a](1234) ! [a](1234) ![a] (1234) ![a][1234]', []],
    ['```\n![a](1234)\n```\n![b](5678)', ['5678']],
    ['~~~\n```\n![a](1234)\n~~~\n![b](5678)', ['5678']],
    ['![a](12\n34)', ['12']],
  ])('%j contains the images %j', (markdown, destinations) => {
    expect(new ImageScanner().push(markdown).map((link) => link.destination)).toEqual(destinations);
  });

  it('the same images are found however the text is cut', () => {
    const text = fc
      .array(
        fc.constantFrom(
          '!',
          '[',
          ']',
          '(',
          ')',
          '12345',
          '<',
          '>',
          '\\',
          ' ',
          '\n',
          '```',
          'a',
          '![x](98765)',
        ),
        { maxLength: 40 },
      )
      .map((list) => list.join(''));
    fc.assert(
      fc.property(text, fc.nat(), (markdown, cut) => {
        const scanner = new ImageScanner();
        const at = cut % (markdown.length + 1);
        expect([...scanner.push(markdown.slice(0, at)), ...scanner.push(markdown.slice(at))]).toEqual(
          new ImageScanner().push(markdown),
        );
      }),
      { numRuns: 2000 },
    );
  });

  it('scanning takes time proportional to the length of the text, even if an image never closes', () => {
    const scanner = new ImageScanner();
    const cost = cpuMs(() => {
      for (let i = 0; i < 262_144; i += 1) scanner.push(i % 3 === 0 ? '![' : '(');
    });
    expect(cost).toBeLessThan(2_000);
  });

  it.each([
    ['4493041505002323001', { kind: 'file-id', id: '4493041505002323001' }],
    ['file_id:12345', { kind: 'file-id', id: '12345' }],
    ['/knowledge/file/12345', { kind: 'file-id', id: '12345' }],
    ['files/12345', { kind: 'file-id', id: '12345' }],
    ['https://host/app/x?file=12345', { kind: 'file-id', id: '12345' }],
    [
      '/openapi/chat/media/image/12345',
      { kind: 'url', url: 'https://host/app/openapi/chat/media/image/12345' },
    ],
    ['/pictures/house.png', { kind: 'url', url: 'https://host/app/pictures/house.png' }],
  ])('%s is the reference %j', (destination, ref) => {
    expect(imageRef(destination, base)).toEqual(ref);
  });

  it.each([
    'https://evil.example/12345',
    '//evil.example/12345',
    'http://host/app/12345',
    'data:image/png;base64,AAAA',
    'javascript:12345',
  ])('%s is not a reference', (destination) => {
    expect(imageRef(destination, base)).toBeUndefined();
  });

  it('an image is emitted once with its exact destination, even if the text is rewritten', () => {
    const images = new InlineImages(base);
    const told = [
      { type: 'text', at: 0, text: 'See ![the hou' },
      { type: 'text', at: 13, text: 'se](12345) and ![b](</files/67890>)' },
      { type: 'text', at: 0, text: 'Look ![the house](12345) ![c](99999)' },
    ] as const;
    let text = '';
    const media = told
      .flatMap((event) => {
        text = text.slice(0, event.at) + event.text;
        return images.after(event, () => text);
      })
      .flatMap((event) => (event.type === 'media' ? [event.media] : []));
    expect(media.map(({ name, inline, ref }) => [name, inline, ref])).toEqual([
      ['the house', '12345', { kind: 'file-id', id: '12345' }],
      ['b', '/files/67890', { kind: 'file-id', id: '67890' }],
      ['c', '99999', { kind: 'file-id', id: '99999' }],
    ]);
  });
});

describe('CHK-15: bodies of media operations', () => {
  it.each([
    { data: 'L' },
    { data: ['L'] },
    { data: [{ file_id: 12345, url: 'L' }] },
    { data: [{ id: '12345', link: 'L' }] },
    { data: { fileId: '12345', temporary_url: 'L' } },
    { data: { '12345': 'L' } },
    { data: { '12345': { path: 'L' } } },
    { data: { urls: ['L'] } },
    { data: { links: [{ url: 'L' }] } },
    { data: { list: [{ url: 'L' }] } },
    { code: 200, message: 'ok', '12345': 'L' },
    ['L'],
  ])('%j contains the link (DEC-17)', (body) => {
    const links = temporaryLinks.response.parse(temporaryLinks.read(body, documentedDeployment));
    expect(linkFor(links, ['12345'], '12345')).toBe('L');
  });

  it('a link is matched by id before position, and a missing one is reported', () => {
    const links = temporaryLinks.response.parse(
      temporaryLinks.read(
        {
          data: [
            { id: 'b', url: 'B' },
            { id: 'a', url: 'A' },
          ],
        },
        documentedDeployment,
      ),
    );
    expect(linkFor(links, ['a', 'b'], 'a')).toBe('A');
    expect(() => linkFor([], ['a'], 'a')).toThrow(/no link/);
  });

  it.each([
    [
      { data: { id: 4, file_name: 'a.pdf', filetype: '3', objectType: 7 } },
      { id: '4', name: 'a.pdf', filetype: 3, objectType: '7' },
    ],
    [{ data: [{ fileId: 'x', title: 'a', type: 'pdf', ext: 2 }] }, { id: 'x', name: 'a', filetype: 2 }],
    [
      { ekb_id: 'x', full_name: 'a', filetype: 'pdf' },
      { id: 'x', name: 'a' },
    ],
  ])('%j contains details (DEC-18)', (body, detail) =>
    expect(fileDetail.response.parse(fileDetail.read(body, documentedDeployment))).toEqual(detail));

  it.each([
    [{ data: 'https://h/x' }, 'https://h/x'],
    [{ data: { previewUrl: '/x' } }, '/x'],
    [{ preview_url: '/x' }, '/x'],
    [{ data: { content: '<p>hi</p>' } }, undefined],
  ])('%j contains a preview (DEC-19)', (body, link) =>
    expect(previewFile.response.parse(previewFile.read(body, documentedDeployment))).toEqual({ link }));
});

/** Returns the passage of a reference, which is a document unless `more` says otherwise. */
const referenceOf = (title: string, more: Partial<Reference> = {}) =>
  passageOfReference({ title, content: 'a', type: 'document', ...more });

describe('sources', () => {
  const item = { title: 'Guide', content: 'text', score: 0.5, document_id: 44 };
  it.each([
    [[item]],
    [{ results: [item] }],
    [{ name: 'search', references: [item] }],
    [{ documents: [item] }],
    [{ list: [item] }],
    [{ data: { list: [item] } }],
    [JSON.stringify({ data: [item] })],
    [{ a: { b: [{ c: item }] } }],
    [{ file_name: 'Guide', snippet: 'text', similarity: '0.5', documentId: '44' }],
  ])('%j is one passage (DEC-20)', (payload) => {
    expect(passagesIn(payload)).toEqual([
      { title: 'Guide', kind: 'document', text: 'text', score: 0.5, link: undefined, document: '44' },
    ]);
  });

  it.each([
    [{ document_id: '4493041505002323001', content: 'text' }],
    [{ document_id: '44', title: '44', content: 'text' }],
    [{ title: '4493041505002323001', content: 'text' }],
    [{ title: '0b7e1f5a-3c1d-4c5e-9a70-1b2c3d4e5f60', content: 'text' }],
    [{ url: '/webapi/ekb/4493041505002323001', content: 'text' }],
    [{ url: 'https://host/file/4493041505002323001', content: 'text' }],
  ])('%j has no title for people', (item) => {
    const passages = passagesIn([item]);
    expect(passages.map(({ title }) => title)).toEqual(['']);
    expect(groupSources(passages, base)[0]?.title).toBe('');
    expect(passagesText(passages)).toBe('text');
  });

  it('sources without a name stay separate', () => {
    const passages = passagesIn([
      { document_id: '44', content: 'a' },
      { document_id: '55', content: 'b' },
      { document_id: '44', content: 'c' },
      { content: 'd', score: 1, url: '/x/4493041505002323001' },
    ]);
    const found = groupSources(passages, base).map(({ key, mark, fragments }) => [
      key,
      mark,
      fragments.length,
    ]);
    expect(found.toSorted()).toEqual([
      ['/x/4493041505002323001', 4, 1],
      ['44', 1, 2],
      ['55', 2, 1],
    ]);
  });

  it('a source without a title has its readable address as its title, else an empty one', () => {
    const of = (title: string, url?: string) => referenceOf(title, { url }).title;
    expect(of('', 'https://host/visitors')).toBe('https://host/visitors');
    expect([of(''), of(' '), of('4493041505002323001')]).toEqual(['', '', '']);
    expect(of('Plan 2024')).toBe('Plan 2024');
  });

  it('text contains no passages, and endless nesting ends the search', () => {
    expect(passagesIn('just words')).toEqual([]);
    let deep: unknown = item;
    for (let i = 0; i < 50_000; i += 1) deep = { deep };
    expect(passagesIn(deep)).toEqual([]);
    expect(passagesIn(Array.from({ length: 50_000 }, () => item)).length).toBe(200);
  });

  it('REF-2: two addresses are two sources, and one address is one source, whatever the titles', () => {
    const sources = groupSources(
      [
        referenceOf('Handbook.pdf', { url: '/a', score: 0.9 }),
        referenceOf('Handbook.pdf', { url: '/b', score: 0.8 }),
        referenceOf('Handbook (2).pdf', { url: '/a', score: 0.7 }),
      ],
      base,
    );
    expect(sources.map(({ title, mark, link, fragments }) => [title, mark, link, fragments.length])).toEqual([
      ['Handbook.pdf', 1, 'https://host/app/a', 2],
      ['Handbook.pdf', 2, 'https://host/app/b', 1],
    ]);
    expect(new Set(sources.map(({ key }) => key)).size).toBe(2);
  });

  it('REF-2: without an address, sources are grouped by document, else by title and type', () => {
    const references = [
      referenceOf('Guide'),
      referenceOf('Guide', { type: 'QnA' }),
      referenceOf('Guide', { content: 'b' }),
    ];
    expect(groupSources(references, base).map(({ kind, mark }) => [kind, mark])).toEqual([
      ['document', 1],
      ['QnA', 2],
    ]);
    const named = passagesIn([
      { title: 'Guide', document_id: '44', content: 'a' },
      { title: 'Guide', document_id: '55', content: 'b' },
    ]);
    expect(groupSources(named, base).map(({ document }) => document)).toEqual(['44', '55']);
  });

  it('CHK-16: sources are grouped by title, best first, and keep the mark that the answer uses', () => {
    const sources = groupSources(
      [
        referenceOf('B', { content: 'b1', score: 0.3, url: '/b' }),
        referenceOf('A', { content: 'a1', score: 0.5 }),
        referenceOf('B', { content: 'b2', score: 0.9, url: '/b' }),
        referenceOf('C', { content: 'c' }),
      ],
      base,
    );
    expect(
      sources.map(({ title, mark, score, link, fragments }) => [
        title,
        mark,
        score,
        link,
        fragments.map((f) => f.text),
      ]),
    ).toEqual([
      ['B', 1, 0.9, 'https://host/app/b', ['b2', 'b1']],
      ['A', 2, 0.5, undefined, ['a1']],
      ['C', 4, undefined, undefined, ['c']],
    ]);
  });
});

describe('the image cache', () => {
  it('drops images after ten minutes and beyond 50 MiB', async () => {
    const clock = createVirtualClock();
    const cache = createByteCache(clock);
    const image = (mib: number) => ({ type: 'image/png', bytes: new Uint8Array(mib * 1024 * 1024) });
    cache.set('a', image(20));
    cache.set('b', image(20));
    cache.set('c', image(20));
    expect([cache.get('a'), cache.get('b')?.bytes.length]).toEqual([undefined, 20 * 1024 * 1024]);
    await clock.pass(600_000);
    expect(cache.get('b')).toBeUndefined();
  });
});
