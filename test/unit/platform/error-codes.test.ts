/** Tests for every error code whether a question is asked again, and how: a list of codes never loses a member. */

import { describe, expect, it } from 'vitest';
import { BridgeError, catalogue, type ErrorCode } from '../../../src/errors.ts';
import { errorText, refusalOf } from '../../../src/platform/envelope.ts';
import { AUTH_PATTERN, failureOf } from '../../../src/platform/failure.ts';
import { askAgent } from '../../../src/platform/gateways/asking.ts';
import { createByteCache, openImage } from '../../../src/platform/media/images.ts';
import { chatByToken } from '../../../src/platform/operations/chat.ts';
import { delayBefore, RETRY } from '../../../src/platform/retry.ts';
import type { WireRequest } from '../../../src/platform/transport.ts';
import { PNG } from '../../fakes/pixel.ts';
import { createVirtualClock } from '../../fakes/virtual-clock.ts';
import { answerOf, wiringOf } from './wiring.ts';

const CODES = Object.keys(catalogue) as ErrorCode[];
const signal = new AbortController().signal;

describe('a question in a session', () => {
  /** Errors that may mean that the platform does not know the session. */
  const SESSION: readonly ErrorCode[] = ['platform-parameter', 'platform-permission', 'platform-refused'];
  /** Errors after which the same request is sent again. */
  const AGAIN: readonly ErrorCode[] = ['platform-busy', 'platform-interrupted', 'platform-unreachable'];

  it.each(CODES)('that fails with %s is asked again in the right way', async (code) => {
    const sent: (string | undefined)[] = [];
    const clock = createVirtualClock();
    const wiring = wiringOf(
      async ({ body }: WireRequest) => {
        sent.push(String(body).includes('known-session') ? 's' : undefined);
        throw new BridgeError(sent.length === 1 ? code : 'platform-protocol', 'planted', {
          facts: { bytes: 0 },
        });
      },
      { clock },
    );
    const asking = {
      ...{
        wiring,
        operation: chatByToken,
        authority: { kind: 'none' as const },
        session: 'known-session',
        fallback: () => undefined,
      },
      request: (session: string | undefined) => ({
        ...{ agentId: 'a', messages: [{ role: 'user' as const, content: 'q' }] },
        ...(session !== undefined && { conversationId: session }),
      }),
    } as const;
    const ended = (async () => {
      for await (const event of askAgent(asking, signal)) expect(event).toBeUndefined();
    })().catch(() => undefined);
    await clock.pass(5_000);
    await ended;
    const again = SESSION.includes(code) ? [undefined] : AGAIN.includes(code) ? ['s'] : [];
    expect(sent).toEqual(['s', ...again]);
  });
});

describe('another attempt', () => {
  const tried = { rule: RETRY.chat, tries: 1, elapsedMs: 0, random: () => 0.5 };
  const delayOf = (code: ErrorCode, facts: BridgeError['facts'] = {}) =>
    delayBefore(new BridgeError(code, 'planted', { facts }), tried);

  it.each(CODES)('never follows %s once a part of the answer has arrived', (code) => {
    const passes = code === 'platform-busy' || code === 'platform-unreachable';
    expect(delayOf(code, { bytes: 1 }) !== undefined).toBe(passes);
  });
});

describe('a refusal', () => {
  const CODE_OF: Readonly<Record<number, ErrorCode>> = {
    ...{ 400: 'platform-parameter', 401: 'platform-auth', 403: 'platform-permission', 429: 'platform-busy' },
    ...{
      422: 'platform-parameter',
      500: 'platform-server',
      599: 'platform-server',
      50000: 'platform-server',
    },
    ...{ 40000: 'platform-parameter', 40099: 'platform-parameter', 40100: 'platform-refused' },
    ...{ 404: 'platform-refused', 600: 'platform-refused', 39999: 'platform-refused' },
  };
  const refused = (
    status: number,
    refusal: { code?: number; text?: string },
    authPattern = /never matches/,
  ) =>
    failureOf({
      ...{ operation: 'o', status, refusal: { text: '', ...refusal }, secrets: ['tok-12345678'] },
      authPattern,
    });

  it.each(Object.entries(CODE_OF))('with the code %s in an envelope is %s', (code, due) => {
    expect(refused(200, { code: Number(code) }).code).toBe(due);
  });

  it.each([
    [401, 'platform-auth'],
    [403, 'platform-permission'],
    [429, 'platform-busy'],
    [500, 'platform-server'],
    [503, 'platform-server'],
    [400, 'platform-parameter'],
    [404, 'platform-refused'],
  ])('with the status %i is %s, also with an unknown code', (status, due) => {
    expect(refused(status, {}).code).toBe(due);
    expect(refused(status, { code: 7 }).code).toBe(due);
  });

  it.each([
    ['platform-permission', 403, true],
    ['platform-parameter', 400, true],
    ['platform-refused', 404, true],
    ['platform-auth', 401, false],
    ['platform-server', 500, false],
    ['platform-busy', 429, false],
  ])('(%s) passes its words on to people: %#', (code, status, passes) => {
    const error = refused(status, { text: 'words of the platform' });
    expect(error.code).toBe(code);
    expect(error.tellUser.includes('words of the platform')).toBe(passes);
  });

  it.each([
    ['Token is invalid', 'platform-auth'],
    ['登录已过期', 'platform-auth'],
    ['没有权限访问', 'platform-permission'],
    ['duplicate code', 'platform-refused'],
  ])('with status 200 and the text %s is %s', (text, due) => {
    expect(refused(200, { text }, AUTH_PATTERN).code).toBe(due);
  });

  it("the platform's words are passed on as one clean line without credentials", () => {
    const text = 'no such key tok-12345678\nAuthorization: Bearer abcdefgh12345678 \u202Efdp.exe';
    const error = refused(400, { text });
    for (const shown of [error.message, error.tellUser]) {
      expect(shown).not.toMatch(/tok-12345678|abcdefgh12345678|\n|\u202E/);
      expect(shown).toContain('no such key ***');
    }
  });
});

describe('CHK-22: an error body of any form (ERR-3)', () => {
  it.each([
    [{ code: 422, message: 'bad' }, 'bad'],
    [{ success: false, msg: 'bad' }, 'bad'],
    [{ error_description: 'bad' }, 'bad'],
    [{ error: { message: 'bad' } }, 'bad'],
    [{ error: 'bad' }, 'bad'],
    [{ detail: 'bad' }, 'bad'],
    [{ detail: [{ loc: ['body', 'x'], msg: 'bad' }, { msg: 'worse' }] }, 'body.x: bad; worse'],
    [{ title: 'Errors.', errors: { x: ['bad', 'worse'] } }, 'Errors. x: bad worse'],
    [{ description: 'bad' }, 'bad'],
    ['bad text', 'bad text'],
    [{}, ''],
    [null, ''],
  ])('%j reads as "%s"', (body, text) => expect(errorText(body)).toBe(text));

  it('a refusal is distinguished from a success', () => {
    for (const body of [
      { success: true },
      { code: 200 },
      { code: 201 },
      { data: 1 },
      {},
      null,
      [],
      'x',
      { code: '200' },
    ]) {
      expect(refusalOf(body), JSON.stringify(body)).toBeUndefined();
    }
    expect(refusalOf({ code: 40001, message: 'm' })).toEqual({ code: 40001, text: 'm' });
    expect(refusalOf({ success: false, msg: null })).toEqual({ text: '' });
  });
});

describe('a temporary link', () => {
  const access = {
    files: { kind: 'none' },
    addresses: { kind: 'none' },
    ...{ addressCredential: 'bearer' as const, scope: '' },
  } as const;

  it.each([400, 401, 402, 403, 404, 405, 410, 429, 500])('that is refused with %i', async (status) => {
    let links = 0;
    const wiring = wiringOf(async ({ url }: WireRequest) => {
      const isLink = !url.includes('ekb-temporary-file');
      if (!isLink && links === 1) return answerOf('{}', { status });
      if (!isLink) return answerOf(PNG);
      links += 1;
      const link = `/webapi/knowledge/v1/file/ekb-temporary-file/${links}`;
      return answerOf(JSON.stringify({ success: true, data: [{ id: '1', link }] }));
    });
    const cache = createByteCache(wiring.clock);
    const opened = openImage({ wiring, cache }, access, { kind: 'file-id', id: '1' }, signal);
    const outcome = await opened.then(({ type }) => type).catch((thrown: BridgeError) => thrown.code);
    const isRenewed = [401, 403, 404, 410].includes(status);
    expect([outcome, links]).toEqual(isRenewed ? ['image/png', 2] : ['media-unavailable', 1]);
  });
});
