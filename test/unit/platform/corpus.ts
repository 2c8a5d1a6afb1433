/** The same answer in every dialect of the platform contract (DEC-1 to DEC-16, the rules for decoding answers). */

export interface Sample {
  readonly name: string;
  readonly type: string | undefined;
  readonly body: string | Uint8Array;
  /** The expected final text; `ANSWER` unless the dialect changes it. */
  readonly text?: string;
  readonly session?: string;
  readonly chatRecord?: string;
  /** The expected error code, if the answer fails after the text. */
  readonly fails?: string;
}

export const ANSWER = 'Die Prüfung dauert 24 Monate – 保修期为两年。\n\n| a | b |\n|---|---|\n| 1 | 😀 |\n';
const PARTS = ANSWER.match(/.{1,7}/gsu) ?? [];
const SSE = 'text/event-stream; charset=utf-8';
const SESSION = '4493041505002323001';

const json = (value: unknown): string => JSON.stringify(value);
const event = (data: string, name?: string): string =>
  `${name === undefined ? '' : `event: ${name}\n`}data: ${data}\n\n`;
const stream = (chunks: readonly unknown[], name?: string): string =>
  chunks.map((chunk) => event(json(chunk), name)).join('');
const contents = PARTS.map((content) => ({ content }));
const snapshots = PARTS.map((_part, index) => PARTS.slice(0, index + 1).join(''));
const end = event(
  json({ code: 200, message: 'success', data: { full_output: ANSWER, conversation_id: SESSION } }),
  'end',
);
const plain = stream(contents, 'stream') + end;
const under = (name: string): string => stream(PARTS.map((part) => ({ [name]: part })));

/**
 * The pieces of a raw stream, split after each line feed, because a line feed inside a piece would end its data line.
 */
const rawParts = ANSWER.split(/(?<=\n)/);

export const corpus: readonly Sample[] = [
  { name: 'plain', type: SSE, body: plain, session: SESSION },
  {
    name: 'DEC-1 one JSON answer',
    type: 'application/json',
    body: json({ code: 200, message: 'ok', data: { full_output: ANSWER } }),
  },
  {
    name: 'DEC-1 JSON as event stream',
    type: SSE,
    body: json({ success: true, msg: '', data: { content: ANSWER } }),
  },
  {
    name: 'DEC-1 pretty JSON as text',
    type: 'text/plain',
    body: JSON.stringify({ code: 200, data: { full_output: ANSWER } }, null, 2),
  },
  {
    name: 'DEC-1 ndjson',
    type: 'application/x-ndjson',
    body: contents.map((chunk) => `${json(chunk)}\n`).join(''),
  },
  { name: 'DEC-1 ndjson untyped, no last break', type: undefined, body: contents.map(json).join('\n') },
  { name: 'DEC-1 ndjson under JSON', type: 'application/json', body: contents.map(json).join('\n') },
  { name: 'DEC-1 events untyped', type: undefined, body: plain },
  { name: 'DEC-1 events as octets', type: 'application/octet-stream', body: `\n\n${plain}` },
  { name: 'DEC-1 raw text', type: 'text/plain', body: ANSWER },
  {
    name: 'DEC-1 raw text that begins like a field',
    type: 'text/plain',
    body: `dat${ANSWER}`,
    text: `dat${ANSWER}`,
  },
  { name: 'DEC-1 raw text of one letter', type: 'text/plain', body: 'd', text: 'd' },
  { name: 'DEC-1 byte-order mark', type: undefined, body: `\uFEFF${plain}` },
  { name: 'DEC-2 CRLF', type: SSE, body: plain.replaceAll('\n', '\r\n') },
  { name: 'DEC-2 CR', type: SSE, body: plain.replaceAll('\n', '\r') },
  {
    name: 'DEC-2 no space',
    type: SSE,
    body: plain.replaceAll('data: ', 'data:').replaceAll('event: ', 'event:'),
  },
  { name: 'DEC-3 no last blank line', type: SSE, body: plain.trimEnd() },
  { name: 'DEC-4 end event without data', type: SSE, body: `${stream(contents, 'stream')}event: end\n\n` },
  { name: 'DEC-5 joined lines', type: SSE, body: contents.map((chunk) => `data: ${json(chunk)}\n`).join('') },
  { name: 'DEC-5 balanced objects', type: SSE, body: event(contents.map(json).join('')) },
  {
    name: 'DEC-5 balanced objects, one broken',
    type: SSE,
    body: event(`${contents.map(json).join(' ')} {"cont`),
  },
  {
    name: 'DEC-5a raw lines',
    type: SSE,
    body: event('first: a\nsecond\nthird'),
    text: 'first: a\nsecond\nthird',
  },
  {
    name: 'DEC-5a raw lines after a blank one',
    type: SSE,
    body: `${event('one ')}two\n\n${event('three')}`,
    text: 'one \ntwothree',
  },
  {
    name: 'DEC-6 heartbeats',
    type: SSE,
    body: `: ping\n\n${contents.map((c) => `${event(json(c))}event: ping\ndata:\n\nevent: heartbeat\ndata: {}\n\n${event('{"type":"ping"}')}:\n\n`).join('')}`,
  },
  {
    name: 'DEC-7 [DONE]',
    type: SSE,
    body: `${stream(contents)}data: [DONE]\n\n${event(json({ content: 'after' }))}`,
  },
  {
    name: 'DEC-7 DONE',
    type: SSE,
    body: `${stream(contents)}data: DONE\n\n${event(json({ content: 'after' }))}`,
  },
  {
    name: 'DEC-7 numbers',
    type: SSE,
    body: contents.map((c, i) => event(String(i)) + event(json(c))).join(''),
  },
  {
    name: 'DEC-7 words are text',
    type: SSE,
    body: event('true') + event(' or ') + event('42'),
    text: 'true or 42',
  },
  { name: 'DEC-7 only a number', type: SSE, body: event('42'), text: '42' },
  ...['event', 'type', 'kind', 'category'].map((member) => ({
    name: `DEC-8 kind as ${member}`,
    type: SSE,
    body: `${stream(contents.map((chunk) => ({ ...chunk, [member]: 'stream' })))}${event(json({ [member]: 'end', full_output: ANSWER }))}`,
  })),
  {
    name: 'DEC-8 aliases',
    type: SSE,
    body: stream(contents, 'delta') + event(json({ full_output: ANSWER }), 'finished'),
  },
  {
    name: 'DEC-8 finish reason',
    type: SSE,
    body: stream([...contents, { content: '', finish_reason: 'stop' }, { content: 'after' }]),
  },
  { name: 'DEC-8 done', type: SSE, body: stream([...contents, { done: true }, { content: 'after' }]) },
  {
    name: 'DEC-8 tool result',
    type: SSE,
    body: event(json({ tool_result: [{ title: 'A', content: 'not the answer' }] }), 'tool_result') + plain,
  },
  {
    name: 'DEC-9 unknown kinds',
    type: SSE,
    body:
      event(json({ content: 'searching' }), 'status') +
      contents.map((c) => event(json(c), 'stream') + event(json({ content: 'x' }), 'trace')).join(''),
  },
  { name: 'DEC-9 only unknown kinds', type: SSE, body: stream(contents, 'foo') },
  ...['delta', 'content', 'text', 'output', 'answer', 'token', 'chunk', 'result', 'message'].map(
    (member) => ({
      name: `DEC-10 ${member}`,
      type: SSE,
      body: under(member),
    }),
  ),
  {
    name: 'DEC-10 in data',
    type: SSE,
    body: stream(contents.map((data) => ({ success: true, msg: '', data }))),
  },
  {
    name: 'DEC-10 in data as a string',
    type: SSE,
    body: stream(contents.map((data) => ({ data: json(data) }))),
  },
  {
    name: 'DEC-10 in data.data',
    type: SSE,
    body: stream(contents.map((data) => ({ code: 200, data: { data } }))),
  },
  {
    name: 'DEC-10 choices',
    type: SSE,
    body: `${stream(contents.map((delta) => ({ choices: [{ delta, finish_reason: null }] })))}data: [DONE]\n\n`,
  },
  {
    name: 'DEC-10 content parts',
    type: SSE,
    body: stream(PARTS.map((text) => ({ content: [{ type: 'text', text }] }))),
  },
  { name: 'DEC-10 JSON strings', type: SSE, body: stream(PARTS) },
  {
    name: 'DEC-10 raw data',
    type: SSE,
    body: rawParts.map((part) => `data: ${part.replaceAll('\n', '\ndata: ')}\n\n`).join(''),
  },
  { name: 'DEC-10 raw data keeps a second space', type: SSE, body: 'data: a\n\ndata:  b\n\n', text: 'a b' },
  { name: 'DEC-11 snapshots', type: SSE, body: stream(snapshots.map((full_output) => ({ full_output }))) },
  {
    name: 'DEC-11 snapshots under content',
    type: SSE,
    body: stream(snapshots.map((content) => ({ content }))),
  },
  {
    name: 'DEC-11 rewritten',
    type: SSE,
    body: stream([
      ...snapshots.map((full_output) => ({ full_output })),
      { full_output: ANSWER.replace('24 Monate', '24 Monate [1]') },
    ]),
    text: ANSWER.replace('24 Monate', '24 Monate [1]'),
  },
  {
    name: 'DEC-12 final text under another name',
    type: SSE,
    body: stream(contents, 'stream') + event(json({ answer: ANSWER }), 'end'),
  },
  {
    name: 'DEC-12 last piece',
    type: SSE,
    body: stream(contents.slice(0, -1), 'stream') + event(json({ content: PARTS.at(-1) }), 'end'),
  },
  { name: 'DEC-12 end without text', type: SSE, body: stream(contents, 'stream') + event('{}', 'end') },
  {
    name: 'DEC-12 tool results only',
    type: SSE,
    body: event(json([{ title: 'Guide', content: 'Two years.' }]), 'tool_result') + event('{}', 'end'),
    text: '**Guide**\n\nTwo years.',
  },
  { name: 'DEC-12 nothing', type: SSE, body: event('{}', 'end'), text: '', fails: 'platform-empty' },
  { name: 'DEC-14 no end marker', type: SSE, body: stream(contents, 'stream') },
  { name: 'DEC-14 no text', type: SSE, body: ': ping\n\n', text: '', fails: 'platform-empty' },
  {
    name: 'DEC-15 other ids',
    type: SSE,
    body: stream([{ data: { conversationId: 'c-1', chat_record_id: 7, content: ANSWER } }]),
    session: 'c-1',
    chatRecord: '7',
  },
  {
    name: 'DEC-15 large numbers',
    type: SSE,
    body: `data: {"data":{"sessionId":4493041505002323001,"chatRecordId":4493041505002323003,"content":${json(ANSWER)}}}\n\n`,
    session: SESSION,
    chatRecord: '4493041505002323003',
  },
  {
    name: 'DEC-16 data is the text',
    type: 'application/json',
    body: json({ code: 200, message: 'success', data: ANSWER }),
  },
  {
    name: 'DEC-16 no data',
    type: 'application/json',
    body: json({ code: 200, message: 'success', data: null }),
    text: '',
    fails: 'platform-empty',
  },
  {
    name: 'CHK-11 EXP-15 last chunk carries text',
    type: SSE,
    body: stream([
      ...contents.slice(0, -1).map((data) => ({ success: true, data: { ...data, finish_reason: null } })),
      { success: true, data: { content: PARTS.at(-1), finish_reason: 'stop' } },
    ]),
  },
  { name: 'F08 stop twice', type: SSE, body: `${plain}${end}${stream(contents)}` },
  {
    name: 'F09 one malformed event',
    type: SSE,
    body: contents.map((c, i) => (i === 2 ? 'data: {"content": "br\n\n' : '') + event(json(c))).join(''),
  },
  {
    name: 'F09 three malformed events in all, never three in a row',
    type: SSE,
    body: contents.map((c, i) => (i < 3 ? 'data: {"content": "br\n\n' : '') + event(json(c))).join(''),
  },
  {
    name: 'F09 two malformed events in a row',
    type: SSE,
    body: contents
      .map((c, i) => (i === 2 ? 'data: {"content": \n\n'.repeat(2) : '') + event(json(c)))
      .join(''),
  },
  {
    name: 'F09 nothing but malformed JSON',
    type: SSE,
    body: event("{'content': 'not quoted well'}"),
    text: '',
    fails: 'platform-protocol',
  },
  {
    name: 'F09 malformed JSON before an end marker',
    type: SSE,
    body: `${event('{content: "a"}')}data: [DONE]\n\n`,
    text: '',
    fails: 'platform-protocol',
  },
  {
    name: 'F09 malformed JSON as one body',
    type: 'application/json',
    body: '{"code":200,"data":{"full_output":"cut he',
    text: '',
    fails: 'platform-protocol',
  },
  {
    name: 'F09 no JSON in a body of JSON',
    type: 'application/json',
    body: '"full_output": "cut he',
    text: '',
    fails: 'platform-protocol',
  },
  {
    name: 'F09 malformed JSON as text in data',
    type: 'application/json',
    body: json({ code: 200, message: 'ok', data: '{"full_output": "cut he' }),
    text: '',
    fails: 'platform-empty',
  },
  {
    name: 'DEC-10 raw text with braces of its own',
    type: SSE,
    body: `${event('const a = ')}${event('{')}${event('b: 1')}${event('}')}${event('{ok}')}`,
    text: 'const a = {b: 1}{ok}',
  },
  {
    name: 'DEC-10 raw text that begins with a brace',
    type: SSE,
    body: `${event('{name}')}${event(' is missing')}`,
    text: '{name} is missing',
  },
  {
    name: 'F09 three malformed events',
    type: SSE,
    body: `${event(json({ content: ANSWER }))}${'data: {"content": \n\n'.repeat(3)}${stream(contents)}`,
    fails: 'platform-protocol',
  },
  {
    name: 'F09 malformed line',
    type: 'application/x-ndjson',
    body: contents.map((c, i) => `${i === 2 ? '{"content": "br\n{"x":\n' : ''}${json(c)}\n`).join(''),
  },
  {
    name: 'F10 invalid UTF-8',
    type: SSE,
    body: Buffer.concat([
      Buffer.from('data: {"content":"a'),
      Buffer.from([0xff, 0xc3]),
      Buffer.from('b\\u0000\\ud800"}\n\n'),
    ]),
    text: 'a\uFFFD\uFFFDb\0\uFFFD',
  },
  {
    name: 'F10 a character in two chunks',
    type: SSE,
    body: 'data: {"content":"a\\ud83d"}\n\ndata: {"content":"\\ude00b"}\n\n',
    text: 'a😀b',
  },
  {
    name: 'ERR-7 error event',
    type: SSE,
    body: event(json({ content: ANSWER })) + event(json({ message: 'model died' }), 'error'),
    fails: 'platform-refused',
  },
  {
    name: 'ERR-7 chunk without success',
    type: SSE,
    body:
      event(json({ data: { content: ANSWER, sessionId: SESSION } })) +
      event(json({ success: false, msg: 'quota' })),
    fails: 'platform-refused',
    session: SESSION,
  },
  {
    name: 'ERR-7 chunk with a code',
    type: SSE,
    body: event(json({ content: ANSWER })) + event(json({ code: 50001, message: 'oops', data: null })),
    fails: 'platform-server',
  },
  {
    name: 'ERR-7 chunk with an error',
    type: SSE,
    body: event(json({ content: ANSWER })) + event(json({ error: { message: 'overloaded' } })),
    fails: 'platform-refused',
  },
];
