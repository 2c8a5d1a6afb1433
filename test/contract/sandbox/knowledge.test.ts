import { cp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type RunningSandbox, startSandbox } from '../../../sandbox/index.ts';
import {
  askByKey,
  askExpert,
  CORPUS,
  call,
  liteToken,
  openToken,
  shared,
  start,
  TOKEN_CHAT,
  temporaryFolder,
  user,
  uuid,
} from './support.ts';

interface Told {
  readonly content: string;
  readonly sessionId: string;
  readonly suggestionQuestions: readonly string[];
  readonly sources: readonly { title: string; score: number }[];
}

async function ask(
  sandbox: RunningSandbox,
  content: string,
  sessionId: string | null = null,
  account = 'member-one',
): Promise<Told> {
  const headers = await openToken(sandbox, account);
  const body = { expertCode: 'knowledge', content, sessionId };
  const { data } = (await askExpert(sandbox, body, headers)).json;
  const url = `${sandbox.url}/openapi/chat/record/${data.chatRecordId}/reference`;
  return { ...data, sources: (await call(url, { headers })).json.data };
}

describe('sandbox: the knowledge agent', async () => {
  const sandbox = await shared({ knowledge: [CORPUS] });

  it.each([
    ['What is the hotel limit abroad?', /\[1\]\n\n[^[]*\| Hotel,[^\n]*180 EUR \|\n/, 'Travel and expenses'],
    ['how long are server logs kept', /\[1\]\n\n[^[]*\| Server logs \|[^[]*30 days/, 'Data retention policy'],
    ['Is the kitchen next to the terrace?', /\[1\]\n\n[^[]*kitchen is next to the terrace/, 'Office guide'],
    ["What's the wifi password for guests?", /\[1\]\n\n[^[]*Guests use office-guest/, 'Laptop set-up guide'],
    ['my laptop was stolen', /\[1\]\n\n[^[]*Call extension 4300 at once/, 'Laptop set-up guide'],
    [
      'how quickly must I answer a page',
      /\[1\]\n\nAcknowledge the page within 5 minutes/,
      'On-call handbook',
    ],
    ['远程办公每周最多几天？', /\[1\]\n\n[^[]*每周最多可以远程办公三天/, '远程办公制度'],
    ['在境外远程办公可以多久', /二十个工作日/, '远程办公制度'],
  ])('answers "%s" with the right passage', async (question, expected, title) => {
    const told = await ask(sandbox, question);
    expect(told.content).toMatch(expected);
    expect(told.sources[0]?.title).toBe(title);
    expect(told.suggestionQuestions.length).toBeGreaterThan(0);
  });

  it('REF-2: numbers the entries of its list, with scores that never rise', async () => {
    const told = await ask(sandbox, 'How do I get a visitor pass?');
    const cited = [...told.content.matchAll(/\[(\d+)\]/g)].map((match) => Number(match[1]));
    const firsts = [...new Set(cited)];
    expect(firsts).toEqual(firsts.map((_, index) => index + 1));
    expect(told.sources).toHaveLength(firsts.length);
    expect(new Set(told.sources.map((source) => source.title)).size).toBeLessThan(firsts.length);
    const scores = told.sources.map((source) => source.score);
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
  });

  it('answers follow-ups in the context of the session, over each interface', async () => {
    const first = await ask(sandbox, 'How do I get a visitor pass?');
    const second = await ask(sandbox, 'and how long is that valid?', first.sessionId);
    expect(second.content).toMatch(/\[1\]\n\nA visitor pass is valid for one working day/);
    const third = await ask(sandbox, 'what about contractors?', first.sessionId);
    expect(third.content).toMatch(/\[1\]\n\n[^[]*Badges of contractors are valid/);
    const badge = await ask(sandbox, 'How do I get an employee badge?');
    const other = await ask(sandbox, 'and how long is that valid?', badge.sessionId);
    expect(other.content).toMatch(/\[1\]\n\nAn employee badge is valid for three years/);
    const history = [
      { role: 'user', content: 'How do I get a visitor pass?' },
      { role: 'assistant', content: first.content },
      { role: 'user', content: 'and how long is that valid?' },
    ];
    const byKey = await askByKey(sandbox, 'knowledge', { messages: history });
    expect(byKey.json.data.full_output).toMatch(/\[1\]\n\nA visitor pass is valid for one working day/);
    const headers = await liteToken(sandbox);
    const url = `${sandbox.url}${TOKEN_CHAT}${uuid(sandbox, 'knowledge')}`;
    const { conversation_id } = (await call(url, { body: user('I lost my badge'), headers })).json.data;
    const cost = await call(url, { body: { ...user('what does it cost?'), conversation_id }, headers });
    expect(cost.json.data.full_output).toMatch(/\[1\]\n\n[^[]*A replacement costs nothing the first time/);
  });

  it('shows a picture of the document under a numeric file id that can be fetched', async () => {
    const told = await ask(sandbox, 'How do I get a visitor pass?');
    const fileId = /!\[The visitor pass[^\]]*\]\((\d{4,})\)/.exec(told.content)?.[1];
    const headers = await liteToken(sandbox);
    const exchange = `${sandbox.url}/webapi/knowledge/v1/file/ekb-temporary`;
    const { data } = (await call(exchange, { body: { file_id: [fileId] }, headers })).json;
    expect((await call(data[0].url, { headers })).headers['content-type']).toBe('image/png');
  });

  it('admits that it found nothing, and names questions that it can answer', async () => {
    const told = await ask(sandbox, 'who won the football world cup');
    expect(told.content).toContain('I found nothing');
    expect(told.suggestionQuestions).toHaveLength(3);
    for (const question of told.suggestionQuestions) expect(told.content).toContain(`\n- ${question}`);
    expect(told.sources).toEqual([]);
    const chinese = await ask(sandbox, '太阳系有几颗行星？');
    expect(chinese.content).toContain('没有找到');
  });

  it('greets, and returns the retrieved passages in layout mode 1', async () => {
    expect((await ask(sandbox, 'what can you do?')).content).toContain('Data retention policy');
    const body = { ...user('how do I roll back'), layout_mode: 1, show_tool_result: true };
    const { data } = (await askByKey(sandbox, 'knowledge', body)).json;
    expect(data.full_output).toContain('deploy rollback');
    expect(data.tool_result[0]).toMatchObject({ category: 'tool', title: 'On-call handbook' });
  });

  it('sends chunk ids as bare integers above 2^53', async () => {
    const body = { ...user('how do I roll back'), show_tool_result: true };
    const { text } = await askByKey(sandbox, 'kb-demo', body);
    expect(text).toMatch(/"chunk_id":\d{19}[,}]/);
  });

  it('searches only in the requested workspaces and documents', async () => {
    const limited = async (limit: Record<string, unknown>): Promise<string> => {
      const body = { ...user('how do I roll back'), ...limit };
      return (await askByKey(sandbox, 'knowledge', body)).json.data.full_output;
    };
    const guide = sandbox.documents().find((document) => document.title === 'On-call handbook')?.id ?? '';
    expect(await limited({ workspace_id: 'folder' })).toContain('deploy rollback');
    expect(await limited({ workspace_id: ['handbook'] })).toContain('I found nothing');
    expect(await limited({ file_id: [guide] })).toContain('deploy rollback');
    expect(await limited({ file_id: '1' })).toContain('I found nothing');
  });
});

describe('sandbox: access to documents', () => {
  it('hides documents of other workspaces from an account', async () => {
    const sandbox = await startSandbox({ port: 0, memory: true, options: { paceMs: 0 } });
    await sandbox.indexed;
    expect((await ask(sandbox, 'how do I roll back', null, 'member-one')).content).toContain(
      'deploy rollback',
    );
    expect((await ask(sandbox, 'how do I roll back', null, 'member-two')).content).not.toContain(
      'deploy rollback',
    );
    await sandbox.close();
  });
});

describe('sandbox: a folder of documents', () => {
  it('puts a bad file in state fail with a reason and reads the others', async () => {
    const knowledge = temporaryFolder();
    await writeFile(join(knowledge, 'good.txt'), 'The zebra crossing is painted every spring.');
    await writeFile(join(knowledge, 'broken.pdf'), 'this is no pdf');
    await writeFile(join(knowledge, 'broken.docx'), 'this is no document');
    await writeFile(join(knowledge, 'binary.md'), Buffer.from([0, 1, 2]));
    await writeFile(join(knowledge, 'empty.md'), '');
    await writeFile(join(knowledge, 'ignored.zip'), 'x');
    await using sandbox = await start({ knowledge: [knowledge] });
    await sandbox.indexed;
    const states = Object.fromEntries(sandbox.documents().map((one) => [one.name, one.state]));
    expect(states).toEqual({
      'binary.md': 'fail',
      'broken.docx': 'fail',
      'broken.pdf': 'fail',
      'empty.md': 'fail',
      'good.txt': 'success',
    });
    for (const one of sandbox.documents()) expect(one.reason === '').toBe(one.state === 'success');
    expect((await ask(sandbox, 'when is the zebra crossing painted')).content).toContain('every spring');
  });

  it('reads text out of a PDF', async () => {
    const knowledge = temporaryFolder();
    await writeFile(join(knowledge, 'note.pdf'), smallPdf('The lighthouse keeper counts ships at noon.'));
    await using sandbox = await start({ knowledge: [knowledge] });
    await sandbox.indexed;
    expect((await ask(sandbox, 'what does the lighthouse keeper count')).content).toContain('counts ships');
  });

  it('keeps sessions and index over a restart, reads changed files and removes missing ones', async () => {
    const data = temporaryFolder();
    const knowledge = temporaryFolder();
    await cp(CORPUS, knowledge, { recursive: true });
    const first = await start({ memory: false, data, knowledge: [knowledge] });
    await first.indexed;
    const told = await ask(first, 'How do I get a visitor pass?');
    const before = first.documents();
    await first.close();

    await rm(join(knowledge, 'data-retention.md'));
    await writeFile(
      join(knowledge, 'on-call-handbook.md'),
      '# On-call handbook\n\nThe rota is made by a parrot.',
    );
    const progress: number[] = [];
    await using second = await start({
      memory: false,
      data,
      knowledge: [knowledge],
      onIndexing: ({ done }) => progress.push(done),
    });
    await second.indexed;
    const follow = await ask(second, 'and how long is that valid?', told.sessionId);
    expect(follow.sessionId).toBe(told.sessionId);
    expect(follow.content).toMatch(/\[1\]\n\nA visitor pass is valid for one working day/);
    expect((await ask(second, 'who makes the rota')).content).toContain('parrot');
    expect((await ask(second, 'how long are server logs kept')).content).not.toContain('30 days');
    const kept = (name: string) => (list: typeof before) => list.find((one) => one.name === name)?.id;
    expect(kept('office-guide.html')(second.documents())).toBe(kept('office-guide.html')(before));
    expect(progress.at(-1)).toBe(second.documents().length);
  });
});

/** Returns a PDF of one page with one line of text. */
function smallPdf(text: string): Buffer {
  const stream = `BT /F1 18 Tf 40 700 Td (${text}) Tj ET`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ];
  let body = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const at = body.length;
    body += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(at).padStart(10, '0')} 00000 n \n`;
  });
  const table = `xref\n0 6\n0000000000 65535 f \n${offsets.join('')}`;
  return Buffer.from(`${body}${table}trailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n${body.length}\n%%EOF\n`);
}
