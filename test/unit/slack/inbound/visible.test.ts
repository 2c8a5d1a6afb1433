/** Words that people see in Slack, and what the agent reads of them. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { bot, direct, event, openReading, rich, typed } from './reading.ts';

let reading: Awaited<ReturnType<typeof openReading>>;
beforeAll(async () => {
  reading = await openReading();
});
beforeEach(() => {
  reading.slack.answers = {
    ...reading.slack.answers,
    'usergroups.list': () => ({ ok: true, usergroups: [{ id: 'S0PLATFORM', handle: 'platform-team' }] }),
    'conversations.info': ({ args }) => ({
      ok: true,
      channel: { id: args.channel, name: `room-${args.channel}` },
    }),
  };
});
afterAll(() => reading.slack.close());

describe('mentions', () => {
  const sentence = (...more: readonly object[]) => ({ blocks: rich(...more), text: '-' });
  test.each<[string, object, { text: string; agent?: string } | undefined]>([
    [
      'bold',
      sentence({ ...bot, style: { bold: true } }, typed(' other: hello')),
      { text: 'hello', agent: 'other' },
    ],
    ['code', sentence({ ...bot, style: { code: true } }, typed(' stop')), { text: 'stop' }],
    [
      'bold with all words',
      sentence({ ...bot, style: { bold: true } }, typed(' other: hello', { bold: true })),
      { text: 'hello', agent: 'other' },
    ],
    [
      'before a bold name',
      sentence(bot, typed(' '), typed('other:', { italic: true }), typed(' hello')),
      { text: 'hello', agent: 'other' },
    ],
    ['before a bold command', sentence(bot, typed(' '), typed('stop', { bold: true })), { text: 'stop' }],
    [
      'before two bold words',
      sentence(bot, typed(' '), typed('so', { bold: true }), typed(' and '), typed('so', { bold: true })),
      { text: '**so** and **so**' },
    ],
    ['bold in the older format', { text: '*<@UBOT>* other: hello' }, { text: 'hello', agent: 'other' }],
    [
      'italic and struck in the older format',
      { text: '_~<@UBOT>~_ other: hello' },
      { text: 'hello', agent: 'other' },
    ],
    [
      'in a bold line of the older format',
      { text: '*<@UBOT> other: hello*' },
      { text: 'hello', agent: 'other' },
    ],
    [
      'literal in code',
      {
        type: 'message',
        text: 'write `&lt;@UBOT&gt;` so',
        blocks: rich(typed('write '), typed('<@UBOT>', { code: true }), typed(' so')),
      },
      undefined,
    ],
    ['literal in text', { type: 'message', text: 'write &lt;@UBOT&gt; so' }, undefined],
    ['literal in a fence', { type: 'message', text: '```&lt;@UBOT&gt;```' }, undefined],
  ])('%s', async (_, over, asked) => {
    const message = await reading.take(event(over));
    expect(message && { text: message.text, ...(message.agent && { agent: message.agent }) }).toEqual(asked);
  });

  test('literal in code is kept as it was typed', async () => {
    const blocks = rich(typed('write '), typed('<@UBOT>', { code: true }), typed(' or <@U2>'));
    expect((await reading.complete(direct({ text: '-', blocks })))?.text).toBe('write `<@UBOT>` or <@U2>');
  });

  test('in an attachment of an app asks; the attachment is the app’s own text', async () => {
    const attachments = [{ text: '<@UBOT> queue depth 900 on node 4', fallback: 'queue depth 900' }];
    const alert = event({ user: undefined, subtype: 'bot_message', bot_id: 'B7', text: '', attachments });
    expect(await reading.take(alert)).toMatchObject({
      text: 'queue depth 900 on node 4',
      sender: { standing: 'bot' },
    });
  });
});

describe('an alert of an app', () => {
  const alert = {
    ...{ ts: '1700000000.000001', bot_id: 'B7', text: '' },
    attachments: [
      {
        title: '[FIRING:1] KubeJobFailed',
        title_link: 'https://alerts.example/17',
        text: 'Job failed',
        fields: [{ title: 'Severity', value: 'warning' }],
      },
    ],
  };
  const words = ['[FIRING:1] KubeJobFailed', 'https://alerts.example/17', 'Job failed', 'Severity: warning'];

  // https://github.com/NousResearch/hermes-agent/issues/33469, https://github.com/NousResearch/hermes-agent/pull/61261
  test.each<[string, object, string]>([
    ['the name of the post', { username: 'Alertmanager' }, 'Alertmanager'],
    ['the name of the app', { bot_profile: { name: 'Grafana' } }, 'Grafana'],
    ['no name', {}, 'B7'],
  ])('that begins the thread is quoted whole, with %s', async (_, over, author) => {
    const messages = [{ ...alert, ...over }];
    reading.slack.answers['conversations.replies'] = () => ({ ok: true, messages });
    const ts = `1700000${author.length}00.000100`;
    const asked = await reading.complete(event({ ts, thread_ts: alert.ts, text: '<@UBOT> investigate' }));
    expect(asked?.quoted).toMatchObject([{ author }]);
    for (const each of words) expect(asked?.quoted[0]?.text).toContain(each);
  });

  test('that mentions the app is asked whole', async () => {
    const [attachment] = alert.attachments;
    const attachments = [{ ...attachment, author_name: 'on-call', pretext: '<@UBOT>' }];
    const asked = await reading.take(event({ ...alert, user: undefined, attachments }));
    for (const each of ['on-call', ...words]) expect(asked?.text).toContain(each);
  });
});

test.each(['USLACK', 'USLACKBOT'])('%s is never asked', async (user) => {
  expect(await reading.take(direct({ user, text: '<@U3> archived the channel <#C31>' }))).toBeUndefined();
});

describe('names', () => {
  const blocks = rich(
    bot,
    typed(' ask '),
    { type: 'usergroup', usergroup_id: 'S0PLATFORM', style: { bold: true } },
    typed(' in '),
    { type: 'channel', channel_id: 'C5' },
    typed(' or '),
    { type: 'channel', channel_id: 'C6' },
  );
  const text = '<@UBOT> ask <!subteam^S0PLATFORM> in <#C5|release-room> or <#C6>';

  test.each([[blocks], [[]]])('come from the older text, else from Slack, once', async (given) => {
    expect((await reading.complete(event({ text, blocks: given })))?.text).toBe(
      'ask @platform-team in #release-room or #room-C6',
    );
    expect(reading.slack.called('usergroups.list')).toHaveLength(1);
  });

  test('of private channels and without scopes stay ids', async () => {
    reading.slack.answers['conversations.info'] = ({ args }) =>
      args.channel === 'C8'
        ? { ok: true, channel: { name: 'secret', is_private: true } }
        : { ok: false, error: 'missing_scope' };
    expect((await reading.complete(event({ text: '<@UBOT> in <#C8> and <#C9>' })))?.text).toBe(
      'in #C8 and #C9',
    );
  });

  test.each([
    ['<https://s.example/q|Cost | Benefit sheet>', '[Cost | Benefit sheet](https://s.example/q)'],
    ['<!date^1772409600^{date_long}|2 March 2026>', '2 March 2026'],
    ['<!date^1772409600^{date_long}>', '2026-03-02T00:00:00.000Z'],
    ['<plan.example|the plan>', 'the plan'],
    ['<!subteam^S1|@core> <!here|here>', '@core @here'],
  ])('%s', async (given, shown) => {
    expect((await reading.take(direct({ text: given })))?.text).toBe(shown);
  });
});

describe('tables', () => {
  const raw = (text: string) => ({ type: 'raw_text', text });
  const table = (...rows: readonly unknown[][]) => ({ type: 'table', rows });
  const pasted = (...blocks: readonly object[]) => [{ id: 1, fallback: '[no preview available]', blocks }];

  test.each<[string, unknown, string]>([
    ['null', null, ''],
    ['a number', { type: 'raw_number', value: 412 }, '412'],
    ['zero', { type: 'raw_number', value: 0 }, '0'],
    ['a formatted number', { type: 'raw_number', value: 0.5, text: '50 %' }, '50 %'],
    ['rich text', rich(typed('a|b', { bold: true }))[0], '**a\\|b**'],
    ['an unknown cell', { type: 'badge', label: 'new' }, 'new'],
  ])('%s keeps its place', async (_, cell, shown) => {
    const attachments = pasted(
      table([raw('Dock'), raw('Booked'), raw('Free')], [raw('North'), cell, raw('7')], [raw('South')]),
    );
    const message = await reading.take(direct({ text: 'where is room', attachments }));
    expect(message?.text).toBe(
      `where is room\n\n| Dock | Booked | Free |\n| --- | --- | --- |\n| North | ${shown} | 7 |\n| South |  |  |`,
    );
    expect(message?.quoted).toEqual([]);
  });

  test.each([
    [{ is_app_unfurl: true, app_id: 'A7', title: 'Ticket 7' }],
    [{ title: 'Ticket 7', title_link: 'https://t.example' }],
    [{ service_name: 'Tracker' }],
    [{ original_url: 'https://t.example' }],
    [{ bot_id: 'B7' }],
    [{ author_name: 'Mara' }],
  ])('of others are quotes: %j', async (over) => {
    const [attachment] = pasted(table([raw('Owner')], [raw('Mina')]));
    const message = await reading.take(direct({ text: 'see', attachments: [{ ...attachment, ...over }] }));
    expect(message?.text).toBe('see');
    expect(message?.quoted).toHaveLength(1);
    expect(message?.quoted[0]?.text).toContain('| Mina |');
  });
});

describe('forwards', () => {
  const files = [
    {
      id: 'FFWD',
      name: 'depth-chart.png',
      mimetype: 'image/png',
      size: 70,
      url_private: 'https://files.slack.com/f',
    },
  ];
  const share = {
    is_share: true,
    is_msg_unfurl: true,
    author_name: 'Mara',
    from_url: 'https://bench.slack.com/archives/C77/p2',
  };
  const inner = {
    ...share,
    author_name: 'Ola',
    text: 'inner words',
    files: [{ ...files[0], id: 'FIN', name: 'inner.png' }],
  };

  test('give their files and their inner forwards', async () => {
    const message_blocks = [{ message: { blocks: rich(typed('Queue is stuck')), attachments: [inner] } }];
    const attachments = [
      { ...share, text: 'Queue is stuck', message_blocks, files, footer: 'Thread in #war-room' },
    ];
    const message = await reading.take(event({ text: '<@UBOT> what is wrong', attachments }));
    expect(message?.files.map(({ name }) => name)).toEqual(['depth-chart.png', 'inner.png']);
    expect(message?.quoted.map(({ author }) => author)).toEqual(['Mara', 'Ola']);
    expect(message?.quoted[0]?.text).toBe(
      'Queue is stuck\nThread in #war-room\nhttps://bench.slack.com/archives/C77/p2\n(shared the file depth-chart.png)',
    );
  });

  test('without own words are taken in as a quote', async () => {
    const message = await reading.take(
      direct({ text: '', attachments: [{ ...share, text: 'which valve is it' }] }),
    );
    expect(message).toMatchObject({ text: '', quoted: [{ author: 'Mara' }] });
  });
});

describe('blocks and text of an app', () => {
  const said = (text: string, words: string) =>
    [{ type: 'section', text: { type: 'mrkdwn', text: words } }, text] as const;
  test.each([
    [...said('Build 412 failed on main', 'View'), 'Build 412 failed on main\n\nView'],
    [...said('Alert', 'Queue depth 900'), 'Queue depth 900'],
    [...said('Queue depth 900 on node 4', 'Queue depth'), 'Queue depth 900 on node 4'],
  ])('%j', async (block, text, shown) => {
    const message = await reading.take(event({ user: undefined, bot_id: 'B7', text, blocks: [block] }));
    expect(message?.text).toBe(shown);
  });
});

describe('files', () => {
  const share = (...files: readonly object[]) =>
    event({ type: 'message', subtype: 'file_share', text: '<@UBOT> look', files });

  test('a transcript is what the person asks', async () => {
    const clip = { id: 'FA', name: 'a.m4a', mimetype: 'audio/mp4', subtype: 'slack_audio' };
    const transcription = {
      status: 'complete',
      preview: { content: 'order forty pallets', has_more: false },
    };
    const message = await reading.take({ ...share({ ...clip, transcription }), text: '<@UBOT>' });
    expect(message).toMatchObject({ text: 'order forty pallets', files: [] });
    expect(message?.omitted).toBeUndefined();
    expect((await reading.take(share(clip)))?.omitted).toEqual(['the audio clip a.m4a']);
    const long = { ...transcription, preview: { content: 'order', has_more: true } };
    expect((await reading.take(share({ ...clip, transcription: long })))?.omitted).toEqual([
      'the rest of the audio clip a.m4a',
    ]);
  });

  test('a snippet has its beginning', async () => {
    const snippet = {
      id: 'FS',
      name: 'worker.log',
      mimetype: 'text/plain',
      mode: 'snippet',
      preview: 'ERROR\nat line 42',
    };
    expect((await reading.take(share(snippet)))?.files).toMatchObject([
      { name: 'worker.log', preview: 'ERROR\nat line 42' },
    ]);
  });

  test('an e-mail is a quote', async () => {
    const mail = {
      id: 'FE',
      mode: 'email',
      subject: 'Re: invoice 77',
      plain_text: 'The invoice is late',
      from: [{ original: 'Ann <ann@example.org>' }],
    };
    expect((await reading.take(share(mail)))?.quoted).toEqual([
      {
        author: 'Ann <ann@example.org>',
        text: 'from: Ann <ann@example.org>\nRe: invoice 77\nThe invoice is late',
      },
    ]);
  });

  test.each([
    [{ name: 'demo.mp4', mimetype: 'video/mp4' }, 'the video file demo.mp4'],
    [{ title: 'Launch canvas', name: 'Launch_canvas', mode: 'quip' }, 'the canvas Launch canvas'],
    [{ title: 'Backlog', mode: 'list' }, 'the list Backlog'],
    [{ title: 'Plan', mode: 'external', external_type: 'gdrive' }, 'the file Plan (stored in gdrive)'],
    [{ mode: 'hidden_by_limit' }, 'the file that Slack hides'],
    [{ mode: 'tombstone' }, 'the deleted file'],
  ])('%j is named', async (file, shown) => {
    expect(await reading.take(share({ id: 'F1', ...file }))).toMatchObject({ files: [], omitted: [shown] });
  });

  test.each([
    [{ name: 'chart.png', title: 'Depth of pump 4' }, 'Depth of pump 4.png'],
    [{ name: 'chart.png', title: 'chart' }, 'chart.png'],
    [{ title: 'chart.png' }, 'chart.png'],
    [{ name: 'chart.png' }, 'chart.png'],
  ])('%j keeps the title that people see', async (file, name) => {
    expect((await reading.take(share({ id: 'F1', ...file })))?.files).toMatchObject([{ name }]);
  });
});

describe('what the person looks at', () => {
  const look = (...entities: readonly object[]) =>
    direct({ text: 'summarize this', app_context: { entities } });
  const seen = {
    type: 'slack#/types/message_context',
    value: { message_ts: '1700000000.000100', channel_id: 'C31' },
  };
  const answers = (members: readonly string[]) => {
    reading.slack.answers['conversations.members'] = () => ({ ok: true, members });
    reading.slack.answers['conversations.history'] = () => ({
      ok: true,
      messages: [{ user: 'U2', ts: '1700000000.000100', text: 'The pump is hot' }],
    });
  };

  test('is quoted to members of its conversation', async () => {
    answers(['U1', 'U2']);
    expect((await reading.complete(look(seen)))?.quoted).toEqual([
      { author: 'Name of U2', text: 'The pump is hot', kind: 'view' },
    ]);
  });

  test.each<[string, () => void]>([
    ['for others', () => answers(['U2'])],
    [
      'if the members cannot be read',
      () => {
        answers(['U1']);
        reading.slack.answers['conversations.members'] = () => ({ ok: false, error: 'missing_scope' });
      },
    ],
    [
      'if another message is returned',
      () => {
        answers(['U1']);
        reading.slack.answers['conversations.history'] = () => ({
          ok: true,
          messages: [{ ts: '1.2', text: 'x' }],
        });
      },
    ],
  ])('is named by its link %s', async (_, arrange) => {
    arrange();
    expect((await reading.complete(look(seen)))?.quoted).toEqual([
      {
        author: 'Slack',
        text: 'this message: https://slack.com/archives/C31/p1700000000000100',
        kind: 'view',
      },
    ]);
  });

  test.each([
    ['channel_id', 'C5', 'the channel #room-C5'],
    ['canvas_id', 'F7', 'the canvas F7'],
    ['list_id', 'F8', 'the list F8'],
  ])('%s is named', async (type, value, shown) => {
    const message = await reading.complete(look({ type: `slack#/types/${type}`, value }));
    expect(message?.quoted).toEqual([{ author: 'Slack', text: shown, kind: 'view' }]);
  });
});

describe('a long thread', () => {
  const START = 1_700_000_000;
  const ts = (second: number) => `${START + second}.000100`;
  /** Answers as Slack does: the first message, then those within the times, oldest first. */
  const answer = (count: number, { step = 60, page = 200, pages = 99, honest = true } = {}) => {
    const all = Array.from({ length: count + 1 }, (_, nth) => ({
      user: 'U2',
      ts: ts(nth * step),
      text: `line ${nth}`,
      ...(nth === 0 && { reply_count: count }),
    }));
    let calls = 0;
    reading.slack.answers['conversations.replies'] = ({ args }) => {
      calls += 1;
      if (calls > pages) return { ok: false, error: 'ratelimited' };
      const within = all.filter(
        (each, nth) =>
          !honest ||
          nth === 0 ||
          (Number(each.ts) >= Number(args.oldest) && Number(each.ts) <= Number(args.latest)),
      );
      const from = Number(args.cursor ?? 0);
      const next = from + page < within.length ? String(from + page) : '';
      return {
        ok: true,
        messages: within.slice(from, from + page),
        response_metadata: { next_cursor: next },
      };
    };
    return event({ text: '<@UBOT> so?', ts: ts(count * step), thread_ts: ts(0) });
  };

  test.each([
    ['over hours', { step: 60 }],
    ['within minutes', { step: 1 }],
    ['over months', { step: 10_000 }],
    ['by a Slack that ignores the times', { honest: false }],
  ])('is read from its end, %s', async (_, over) => {
    const asked = answer(1_203, over);
    const message = await reading.complete(asked);
    expect(message?.quoted.map(({ text }) => text)).toEqual(
      Array.from({ length: 20 }, (_, nth) => `line ${1_183 + nth}`),
    );
    expect(message?.omitted).toEqual(['1183 earlier messages of this thread']);
  });

  test('is used as far as it was read before a limit', async () => {
    const message = await reading.complete(answer(40, { step: 1, page: 15, pages: 1 }));
    expect(message?.quoted).toHaveLength(15);
    expect(message?.omitted).toEqual(['25 earlier messages of this thread']);
  });
});
