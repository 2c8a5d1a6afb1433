import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ANSWER, corpus } from './corpus.ts';
import { bytesOf, decode } from './decode.ts';

describe('CHK-8: an answer in every dialect', () => {
  it.each(corpus)('$name: reads the answer', ({ type, body, text = ANSWER, fails, session, chatRecord }) => {
    const decoded = decode(type, [bytesOf(body)]);
    expect(decoded.text).toBe(text);
    expect(decoded.fails).toBe(fails);
    expect(decoded.ended).toBe(fails === undefined);
    if (session !== undefined) expect(decoded.session).toBe(session);
    if (chatRecord !== undefined) expect(decoded.chatRecord).toBe(chatRecord);
  });

  it.each(corpus)('$name: gives the same result if cut at every byte', ({ type, body }) => {
    const bytes = bytesOf(body);
    const whole = decode(type, [bytes]);
    for (let at = 1; at < bytes.length; at += 1) {
      expect(decode(type, [bytes.subarray(0, at), bytes.subarray(at)]), `cut at ${at}`).toEqual(whole);
    }
    expect(
      decode(
        type,
        Array.from(bytes, (byte) => Uint8Array.of(byte)),
      ),
      'byte by byte',
    ).toEqual(whole);
  });

  it('any bytes of any type are decoded without a crash, however they are cut', () => {
    const types = [undefined, 'text/event-stream', 'application/json', 'text/plain', 'application/x-ndjson'];
    const noise = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc
        .array(
          fc.constantFrom(
            'data: ',
            'event: end',
            '\n',
            '\r',
            '\n\n',
            '{"content":"',
            'a"}',
            '"',
            '{',
            '[',
            '😀',
            '\uFEFF',
            ': x',
          ),
          { maxLength: 30 },
        )
        .map((parts) => bytesOf(parts.join(''))),
    );
    fc.assert(
      fc.property(fc.constantFrom(...types), noise, fc.nat(), (type, bytes, cut) => {
        const at = bytes.length === 0 ? 0 : cut % bytes.length;
        expect(decode(type, [bytes.subarray(0, at), bytes.subarray(at)])).toEqual(decode(type, [bytes]));
      }),
      { numRuns: 2000 },
    );
  });
});

describe('DEC-14, F07: an answer without an end marker', () => {
  const SSE = 'text/event-stream';
  const chunk = 'data: {"content":"two years"}\n\n';
  const unmarked = ['end-unmarked'];
  it.each([
    ['events', SSE, chunk, unmarked],
    ['events without their last blank line', SSE, chunk.trimEnd(), unmarked],
    ['raw text in events', SSE, 'data: two years\n\n', unmarked],
    ['lines of JSON', 'application/x-ndjson', '{"content":"two years"}\n', unmarked],
    ['events with an end event', SSE, `${chunk}event: end\ndata: {}\n\n`, []],
    ['events with [DONE]', SSE, `${chunk}data: [DONE]\n\n`, []],
    ['a last chunk with its reason', SSE, 'data: {"content":"two years","finish_reason":"stop"}\n\n', []],
    ['lines of JSON with done', 'application/x-ndjson', '{"content":"two years"}\n{"done":true}\n', []],
    ['one JSON body', 'application/json', '{"code":200,"data":{"full_output":"two years"}}', []],
    ['plain text, which has no marker', 'text/plain', 'two years', []],
  ])('%s', (_name, type, body, remarks) => {
    const bytes = bytesOf(body);
    expect(decode(type, [bytes])).toMatchObject({ text: 'two years', remarks, ended: true });
    expect(
      decode(
        type,
        Array.from(bytes, (byte) => Uint8Array.of(byte)),
      ),
    ).toMatchObject({ remarks });
  });

  it('an answer that was cut or refused has no remark about its end', () => {
    const long = `data: ${JSON.stringify({ content: 'x'.repeat(300_000) })}\n\n`;
    expect(decode(SSE, [bytesOf(long)]).remarks).toEqual(['answer-cut']);
    expect(decode(SSE, [bytesOf(`${chunk}data: {"success":false,"msg":"asleep"}\n\n`)]).remarks).toEqual([]);
  });
});

describe('an answer beyond its size limits', () => {
  it('ends at 256 KiB with a remark', () => {
    const chunk = bytesOf(`data: ${JSON.stringify({ content: 'word '.repeat(2000) })}\n\n`);
    const decoded = decode(
      'text/event-stream',
      Array.from({ length: 100 }, () => chunk),
    );
    expect(decoded).toMatchObject({ remarks: ['answer-cut'], ended: true, fails: undefined });
    expect(decoded.text.length).toBe(256 * 1024);
  });

  it.each([
    [256 * 1024, []],
    [256 * 1024 + 1, ['answer-cut']],
  ])('may have exactly 256 KiB: %i characters end with %j', (length, remarks) => {
    const body = `data: ${JSON.stringify({ content: 'x'.repeat(length), finish_reason: 'stop' })}\n\n`;
    expect(decode('text/event-stream', [bytesOf(body)])).toMatchObject({ remarks, ended: true });
  });

  it.each([
    [1024 * 1024, []],
    [1024 * 1024 + 1, ['answer-cut']],
  ])('may contain an event of exactly 1 MiB: %i characters end with %j', (length, remarks) => {
    const frame = (pad: string): string => `data: {"content":"","pad":"${pad}","done":true}\n`;
    const pieces = ['data: {"content":"so far"}\n\n', `${frame('x'.repeat(length - frame('').length))}\n`];
    expect(decode('text/event-stream', pieces.map(bytesOf))).toMatchObject({
      text: 'so far',
      remarks,
      ended: true,
    });
  });

  it.each([
    'text/event-stream',
    'application/x-ndjson',
  ])('ends as soon as an unfinished line of %s exceeds 1 MiB', (type) => {
    const begin = type === 'text/event-stream' ? 'data: {"content":"' : '{"content":"';
    let read = 0;
    function* endless(): Generator<Uint8Array> {
      yield bytesOf(begin);
      for (;;) {
        read += 64;
        yield bytesOf('x'.repeat(64 * 1024));
      }
    }
    expect(decode(type, endless()).fails).toBe('platform-too-large');
    expect(read).toBeLessThanOrEqual(1024 + 64);
  });

  it('keeps the text before an event of more than 1 MiB', () => {
    const first = bytesOf('data: {"content":"so far"}\n\ndata: {"content":"');
    const decoded = decode('text/event-stream', [
      first,
      ...Array.from({ length: 20 }, () => bytesOf('x'.repeat(65536))),
    ]);
    expect(decoded).toMatchObject({ text: 'so far', remarks: ['answer-cut'], ended: true });
  });

  it('fails because of an event of more than 1 MiB if there is no text', () => {
    const decoded = decode(undefined, [
      bytesOf('data: '),
      ...Array.from({ length: 20 }, () => bytesOf('x'.repeat(65536))),
    ]);
    expect(decoded.fails).toBe('platform-too-large');
  });
});
