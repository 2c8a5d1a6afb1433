/**
 * Tests what is read from a message: words that only the HTML copy contains, mentions, quotes without own words, cards,
 * and files that Teams does not send.
 */

import { describe, expect, test } from 'vitest';
import type { TeamsMessage } from '../../../../adapters/teams/activity.ts';
import { decodeActivity } from '../../../../adapters/teams/receive/decode.ts';
import { cpuMs } from '../../../fakes/cost.ts';

const BOT = '28:bot';

function read(parts: object, type = 'message'): TeamsMessage {
  const event = decodeActivity({
    type,
    id: '1',
    serviceUrl: 'https://smba.trafficmanager.net/emea/',
    conversation: { id: 'a:1', conversationType: 'personal', tenantId: 't' },
    recipient: { id: BOT },
    from: { id: '29:1' },
    channelData: { eventType: 'editMessage' },
    ...parts,
  });
  if (event?.kind !== 'said' && event?.kind !== 'edited') throw new Error('not decoded');
  return event.message;
}

const copy = (content: unknown) => ({ contentType: 'text/html', content });
const readHtml = (html: string, text = '', more: object = {}) =>
  read({ text, attachments: [copy(html)], ...more });

const mention = (name: string, text?: string, id = BOT) => ({
  type: 'mention',
  mentioned: { id, name },
  ...(text !== undefined && { text }),
});
const span = (name: string, nth = 0) =>
  `<span itemscope itemtype="http://schema.skype.com/Mention" itemid="${nth}">${name}</span>`;

describe('the HTML copy', () => {
  test.each([
    [
      'keeps the address of a link',
      'see <a href="https://x.example/a">this</a>',
      'see [this](https://x.example/a)',
    ],
    [
      'names an address once',
      '<a href="https://x.example">a</a> <a href="https://x.example">b</a>',
      '[a](https://x.example) b',
    ],
    ['repeats no address', '<a href="https://x.example/">https://x.example</a>', 'https://x.example'],
    ['keeps a mail address', '<a href="mailto:ada@x.example">Ada</a>', '[Ada](mailto:ada@x.example)'],
    ['repeats no mail address', '<a href="mailto:ada@x.example">ada@x.example</a>', 'ada@x.example'],
    ['drops other schemes', '<a href="javascript:alert(1)">a</a>', 'a'],
    [
      'keeps an address with brackets',
      '<a href="https://x.example/a_(b)">a</a>',
      '[a](<https://x.example/a_(b)>)',
    ],
    ['numbers a list', '<ol start="3"><li>a</li><li value="7">b</li><li>c</li></ol>', '3. a\n7. b\n8. c'],
    ['nests lists', '<ol><li>a<ul><li>b</li></ul></li><li>c</li></ol>', '1. a\n   - b\n2. c'],
    ['nests lists beside items', '<ol><li>a</li><ul><li>b</li></ul><li>c</li></ol>', '1. a\n   - b\n2. c'],
    ['fences code', '<pre class="language-sql"><code>a<br>&nbsp; b</code></pre>', '```sql\na\n  b\n```'],
    ['fences code with a fence', '<pre>```</pre>', '````\n```\n````'],
    ['reads a code block', '<codeblock class="Java"><code>a</code></codeblock>', '```Java\na\n```'],
    ['marks code', 'a <code>b</code>', 'a `b`'],
    [
      'writes a table',
      '<table><tr><th>a</th><th>b</th></tr><tr><td>1|2</td><td></td></tr></table>',
      '| a | b |\n| --- | --- |\n| 1\\|2 |  |',
    ],
    [
      'keeps the places of cells',
      '<table><tr><td colspan="2">a</td><td>b</td></tr></table>',
      '| a |  | b |\n| --- | --- | --- |',
    ],
    ['writes no table of one column', '<table><tr><td><p>a</p><p>b</p></td></tr></table>', 'a\n\nb'],
    ['quotes', '<blockquote>a<br>b</blockquote>c', '> a\n> b\n\nc'],
    ['keeps styles', '<b>a </b><i>b</i> <s>c</s>', '**a** *b* ~~c~~'],
    ['keeps headings and lines', '<h2>a</h2><hr>b', '## a\n\n---\n\nb'],
    ['breaks lines', '<p>a<br>b</p><div>c</div><div>d</div>', 'a\nb\n\nc\nd'],
    [
      'keeps emoji',
      `a <emoji alt="😀"></emoji><img itemtype="http://schema.skype.com/Emoji" alt="👍">`,
      'a 😀👍',
    ],
    ['keeps custom emoji', '<customemoji id="1" alt=":ship:"></customemoji>', ':ship:'],
    ['drops references to quotes', '<quoted messageId="1"/>a', 'a'],
    ['drops hidden words', '<p style="display: none">a</p>b<script>c</script>', 'b'],
    ['leaves text as it is', '1 &lt; 2 &amp;amp; *x*', '1 < 2 &amp; *x*'],
    ['cannot forge a mention', '&#xFDD0;&#xFDD1;a', 'a'],
    ['names people', `${span('Ada', 3)} knows`, '@Ada knows'],
  ])('%s', (_, html, text) => {
    expect(readHtml(html).text).toBe(text);
  });

  test.each([
    [
      'is used if it has all words',
      'a b',
      '<p>a <a href="https://x.example">b</a></p>',
      'a [b](https://x.example)',
    ],
    ['is not used if it lacks words', 'a b c', '<p>a</p>', 'a b c'],
    ['is not used if it is empty', 'a', '<p>&nbsp;</p>', 'a'],
    ['is not used if it lacks a short word', 'ok', '<p>look</p>', 'ok\n\nlook'],
    [
      'stands beside a text with other words',
      'a b',
      '<p>a <a href="https://x.example">c</a></p>',
      'a b\n\na [c](https://x.example)',
    ],
    ['has the words that styles split', 'unbelievable', '<p>un<b>believ</b>able</p>', 'un**believ**able'],
    ['has the names of emoji', 'hi (smile)', '<p>hi <emoji alt="😀" title="Smile"></emoji></p>', 'hi 😀'],
  ])('%s', (_, text, html, words) => {
    expect(readHtml(html, text).text).toBe(words);
  });

  test('may be an object, as some services send it', () => {
    expect(read({ attachments: [copy({ text: '<p>a <b>b</b></p>' })] }).text).toBe('a **b**');
  });
});

describe('a mention of the app', () => {
  const own = [mention('Parley', '<at>Parley</at>')];

  test.each([
    ['at the end', `how long, ${span('Parley')}?`, 'how long?'],
    ['at the end, without a comma', `how long ${span('Parley')}`, 'how long'],
    ['at the end, after a dash', `how long – ${span('Parley')}`, 'how long'],
    ['between commas', `please, ${span('Parley')}, how long?`, 'please, how long?'],
    ['in the middle', `how long ${span('Parley')} and why`, 'how long and why'],
    ['at the beginning', `${span('Parley')}:&nbsp; ${span('Parley')}, how long?`, 'how long?'],
    ['in bold', `<b>${span('Parley')}</b> how long?`, 'how long?'],
    ['in bold with words', `<b>${span('Parley')}, how long?</b>`, '**how long?**'],
    ['in a list', `<ol><li>${span('Parley')} a</li><li>b, ${span('Parley')}</li></ol>`, '1. a\n2. b'],
    [
      'in a table',
      `<table><tr><td>${span('Parley')}: a</td><td>b ${span('Parley')}</td></tr></table>`,
      '| a | b |\n| --- | --- |',
    ],
    ['alone', `<p>${span('Parley')}&nbsp;</p>`, ''],
  ])('%s leaves nothing behind', (_, html, text) => {
    expect(readHtml(html, '', { entities: own }).text).toBe(text);
  });

  test.each([
    ['with &, and no text', [mention('Q&A Parley')], '<at>Q&amp;A Parley</at> how?', 'how?'],
    ['with an empty text', [mention('Parley', '')], '<at>Parley</at> how?', 'how?'],
    ['with an encoded text', [mention('Q&A', '<at>Q&amp;A</at>')], '<at>Q&amp;A</at> how?', 'how?'],
    [
      'encoded wholly',
      [mention('Parley', '&lt;at&gt;Parley&lt;/at&gt;')],
      '&lt;at&gt;Parley&lt;/at&gt; how?',
      'how?',
    ],
    ['with one word as text', [mention('Parley Bot', '<at>Parley</at>')], '<at>Parley</at> how?', 'how?'],
    ['with one word of the name', [mention('Parley Bot')], '<at>Bot</at> how?', 'how?'],
    ['with another name', [mention('renamed')], '<at>Parley</at> how?', 'how?'],
    ['with attributes', [mention('Parley', '<at>Parley</at>')], '<at id="0">Parley</at> how?', 'how?'],
    ['without words', [mention('Parley')], 'how?', 'how?'],
  ])('%s is found by its id', (_, entities, text, words) => {
    const message = read({ text, entities });
    expect([message.text, message.mentions.map(({ id }) => id)]).toEqual([words, [BOT]]);
  });

  test('does not hide a person of the same name', () => {
    const entities = [mention('Parley', '<at>Parley</at>'), mention('Parley', '<at>Parley</at>', '29:p')];
    const html = `<p>${span('Parley', 0)} ask ${span('Parley', 1)}</p>`;
    expect(readHtml(html, '', { entities }).text).toBe('ask @Parley');
    const person = read({ text: '<at>Parley</at> look', entities: entities.slice(1) });
    expect([person.text, person.addressee]).toEqual(['@Parley look', '29:p']);
  });

  test('in a quote is a name', () => {
    const quote = `<blockquote itemtype="http://schema.skype.com/Forward">${span('Parley')} how?</blockquote>`;
    expect(readHtml(`${quote}${span('Parley')} so?`, '', { entities: own })).toMatchObject({
      text: 'so?',
      quoted: [{ text: '@Parley how?' }],
    });
  });
});

describe('words of others', () => {
  test('are quotes with their author, also without own words', () => {
    const reply =
      '<blockquote itemtype="http://schema.skype.com/Reply"><strong itemprop="mri">Ada</strong>' +
      '<p itemprop="preview">short…</p><p itemprop="copy">short and long</p></blockquote>';
    expect(readHtml(reply)).toMatchObject({ text: '', quoted: [{ author: 'Ada', text: 'short and long' }] });
    const inner =
      '<blockquote itemtype="http://schema.skype.com/Forward">outer<blockquote itemtype="http://schema.skype.com/Reply">inner</blockquote></blockquote>';
    expect(readHtml(inner).quoted.map(({ text }) => text)).toEqual(['inner', 'outer']);
  });

  test('of one quote in several formats are quoted once, whole, with the author', () => {
    const entities = [{ type: 'quotedReply', senderName: 'Ada', preview: 'Three months is the limit for…' }];
    const html =
      '<blockquote itemtype="http://schema.skype.com/Reply">Three months is the limit for visitors</blockquote>so?';
    expect(readHtml(html, '', { entities })).toMatchObject({
      text: 'so?',
      quoted: [{ author: 'Ada', text: 'Three months is the limit for visitors' }],
    });
  });

  test('in a forward keep their structure, and name what is missing', () => {
    const content = {
      originalMessageContent: `<ol><li>a</li></ol>${span('Ada')}<attachment id="f"></attachment>`,
      originalMessageSender: { application: { displayName: 'Builds' } },
    };
    const attachments = [{ contentType: 'forwardedMessageReference', content: JSON.stringify(content) }];
    expect(read({ attachments }).quoted).toEqual([
      { author: 'Builds', text: '1. a\n\n@Ada\n\n[not included: the file without a name]' },
    ]);
  });

  test('of a card have the card as their author, and buttons keep their addresses', () => {
    const content = {
      type: 'AdaptiveCard',
      body: [
        { type: 'FactSet', facts: [{ title: 'Stage', value: 'tests' }] },
        { type: 'Input.Toggle', title: 'Agree', value: 'true' },
        { type: 'TextBlock', text: 'x', speak: 'never' },
      ],
      actions: [{ type: 'Action.OpenUrl', title: 'Open', url: 'https://x.example' }],
    };
    const attachments = [{ contentType: 'application/vnd.microsoft.card.adaptive', name: 'Builds', content }];
    expect(read({ attachments }).quoted).toEqual([
      { author: 'Builds', text: 'Stage: tests\nAgree\nx\n[Open](https://x.example)' },
    ]);
  });
});

describe('what Teams does not send', () => {
  const hidden = (name: string, type = '') => ({ name, type });

  test.each([
    ['a placeholder', [copy('<attachment id="x"></attachment>')], [hidden('without a name')]],
    [
      'a placeholder after the link',
      [copy('<a href="https://x.example/p" itemid="X">p.xlsx</a><attachment id="x"></attachment>')],
      [hidden('p.xlsx')],
    ],
    [
      'a download without an address',
      [
        {
          contentType: 'application/vnd.microsoft.teams.file.download.info',
          name: 'a.docx',
          content: { uniqueId: 'x' },
        },
        copy('<attachment id="X"></attachment>'),
      ],
      [hidden('a.docx', 'application/octet-stream')],
    ],
    [
      'a reference',
      [{ contentType: 'reference', contentUrl: 'https://x.example/plan.pdf?web=1' }],
      [hidden('plan.pdf', 'reference')],
    ],
    ['an image without an address', [{ contentType: 'image/*' }], [hidden('image', 'image/*')]],
  ])('is named as a file: %s', (_, attachments, files) => {
    expect(read({ attachments }).files).toEqual(files);
  });

  test.each([
    [
      'a voice message in a channel',
      '<span itemtype="http://schema.skype.com/InputExtension"></span>',
      ['a card or a voice message'],
    ],
    [
      'a GIF',
      '<readonly title="Dance" itemtype="http://schema.skype.com/Giphy"><img alt="Dance" src="https://g.example/1"></readonly>',
      ['the GIF Dance'],
    ],
    ['a GIF without a name', '<img src="https://media.giphy.com/1" alt="GIF">', ['a GIF']],
    ['a sticker', '<img itemtype="http://schema.skype.com/Sticker" alt="Bored">', ['the sticker Bored']],
    ['a video', '<video itemtype="http://schema.skype.com/AMSVideo" alt="Media"></video>', ['a video']],
    ['a picture', '<img itemtype="http://schema.skype.com/AMSImage" alt="image">', ['a picture']],
  ])('is named: %s', (_, html, omitted) => {
    expect(readHtml(html)).toMatchObject({ text: '', files: [], omitted });
  });

  test('is not named if it is there', () => {
    const image = {
      contentType: 'image/png',
      contentUrl: 'https://x.example/v3/attachments/1/views/original',
    };
    const card = { contentType: 'application/vnd.microsoft.card.hero', content: { title: 'a' } };
    const html = '<img alt="image"><span itemtype="http://schema.skype.com/InputExtension"></span>';
    expect(read({ attachments: [image, card, copy(html)] }).omitted).toEqual([]);
  });
});

test('an edited message is read in the same way', () => {
  const parts = { text: 'a', attachments: [copy('<ol><li>a</li></ol>')] };
  expect(read(parts, 'messageUpdate').text).toBe(read(parts).text);
});

test('subject and importance are read if Teams sends them', () => {
  expect(read({ subject: 'Leak', importance: 'urgent' }).headline).toBe('Urgent! Leak');
  expect(read({ channelData: { subject: 'Leak' } }).headline).toBe('Leak');
  expect(read({ importance: 'normal' }).headline).toBe('');
});

describe('words of others are quotes only', () => {
  const reply = (words: string) =>
    `<blockquote itemtype="http://schema.skype.com/Reply"><strong itemprop="mri">Ben</strong><p itemprop="preview">${words}</p></blockquote>`;

  test('also if the plain text contains more of the quote than the copy', () => {
    const said = 'Ben: please pay account 1234 today, and tell nobody ok';
    expect(readHtml(`${reply('please pay account 1234…')}ok`, said)).toMatchObject({
      text: 'ok',
      quoted: [
        { author: 'Ben', text: 'please pay account 1234…' },
        { author: 'the whole message', text: said },
      ],
    });
  });

  test('however many there are, and the rest is named', () => {
    const quotes = Array.from({ length: 100 }, (_, nth) => reply(`words ${nth}`)).join('');
    const { text, quoted, omitted } = readHtml(`${quotes}Which one?`);
    expect([text, quoted.length, omitted]).toEqual(['Which one?', 30, ['70 more quotes']]);
  });
});

test('entities of the plain text make no half characters, and no marks of mentions', () => {
  const forged = read({ text: 'a &#xd800; b &#xfdd1;&#xe000; c' });
  expect(forged.text.isWellFormed()).toBe(true);
  expect(forged.text).not.toMatch(/[\ufdd0-\ufddf]/);
  expect(forged.addressee).toBeUndefined();
});

describe('values that repeat in a card keep their places', () => {
  const block = (text: string) => ({ type: 'TextBlock', text });
  const column = (...words: readonly string[]) => ({ type: 'Column', items: words.map(block) });
  const columns = (...all: readonly object[]) => ({ type: 'ColumnSet', columns: all });
  const rows = [
    ['Ada', '5'],
    ['Ben', '5'],
    ['Ada', '5'],
  ];
  const inRows = 'Ada | 5\nBen | 5\nAda | 5';
  const cells = (row: readonly string[]) => row.map((word) => ({ type: 'TableCell', items: [block(word)] }));
  const facts = rows.map(([title, value]) => ({ title, value }));
  test.each<[string, readonly object[], string]>([
    ['in columns', [columns(column('Ada', 'Ben', 'Cem'), column('5', '5', '7'))], 'Ada Ben Cem | 5 5 7'],
    ['in sets of columns', rows.map((row) => columns(...row.map((word) => column(word)))), inRows],
    ['in rows', [{ type: 'Table', rows: rows.map((row) => ({ cells: cells(row) })) }], inRows],
    ['in sets of facts', facts.map((fact) => ({ type: 'FactSet', facts: [fact] })), 'Ada: 5\nBen: 5\nAda: 5'],
    ['in blocks', ['Before', '0', 'After', '0'].map(block), 'Before\n0\nAfter\n0'],
  ])('%s', (_, body, text) => {
    const content = { type: 'AdaptiveCard', body };
    const attachments = [{ contentType: 'application/vnd.microsoft.card.adaptive', content }];
    expect(read({ attachments }).quoted).toMatchObject([{ text }]);
  });
});

/** Far more than needed, and far less than reading in quadratic time would take. */
const AT_MOST_MS = 1_000;

describe('S22: a hostile message is read in linear time', () => {
  test.each([
    ['deep elements', '<b>'.repeat(50_000)],
    ['deep elements with other ends', '<b>'.repeat(20_000) + '</i>'.repeat(20_000)],
    ['deep lists', '<ul><li>'.repeat(20_000)],
    ['deep quotes', '<blockquote itemtype="http://schema.skype.com/Reply">a'.repeat(3_000)],
    ['deep tables', '<table><tr><td>a'.repeat(10_000)],
    ['many cells', `<table>${'<tr><td colspan="1000">'.repeat(7_000)}`],
    ['entities', '&amp;'.repeat(30_000)],
    ['spaces', `<p>${' &nbsp;'.repeat(20_000)}x`],
    ['mentions', span('Parley').repeat(2_000)],
    ['placeholders', '<attachment id="x">'.repeat(8_000)],
    ['links', '<a href="https://x.example/">'.repeat(5_000)],
    ['code in code', `${'<code>'.repeat(140)}${'`'.repeat(27_000)}`],
    ['code blocks in code blocks', `${'<pre>'.repeat(140)}${'`'.repeat(27_000)}`],
    ['lines in deep quotes', `${'<blockquote>'.repeat(140)}${'a<br>'.repeat(5_000)}`],
    ['lines in deep lists', `${'<ul><li>'.repeat(70)}${'a<br>'.repeat(5_000)}`],
    ['unclosed tags', `${'<p '.repeat(50_000)}`],
  ])('%s', (_, html) => {
    const entities = [mention('Parley')];
    const text = html.replaceAll('span', 'at');
    const cost = cpuMs(() => {
      const { omitted, files } = readHtml(html, text, { entities });
      expect(omitted.length + files.length).toBeLessThan(100);
      expect(readHtml(html).text.length).toBeLessThanOrEqual(html.length + 150_000);
    });
    expect(cost).toBeLessThan(AT_MOST_MS);
  });

  test('a card of any depth', () => {
    let column: object = { type: 'TextBlock', text: 'deep' };
    for (let level = 0; level < 5_000; level += 1)
      column = { type: 'ColumnSet', columns: [{ type: 'Column', items: [column] }] };
    const attachments = [{ contentType: 'application/vnd.microsoft.card.adaptive', content: column }];
    expect(cpuMs(() => read({ attachments }))).toBeLessThan(AT_MOST_MS);
  });
});
