import { describe, expect, it } from 'vitest';
import { turnId } from '../../../src/core/ids.ts';
import type { CoreEvent } from '../../../src/core/turn-events.ts';
import { BridgeError } from '../../../src/errors.ts';
import { createLog, everyTurnEvents, logTurnEvents } from '../../../src/observe/log.ts';
import { Secret } from '../../../src/secret.ts';

async function logInto(level: 'debug' | 'info', format: 'json' | 'pretty' = 'json') {
  const lines: string[] = [];
  const log = createLog({ level, format, write: (line) => lines.push(line) });
  return { log, lines, all: () => lines.join('') };
}

describe('the log', () => {
  it('writes one JSON line with time, level, facts and text', async () => {
    const { log, lines } = await logInto('info');
    log.info({ turn: 't1', count: 2 }, 'hello');
    log.debug({}, 'not written');
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 'info', turn: 't1', count: 2, msg: 'hello' });
  });

  it('is pretty on a terminal', async () => {
    const { log, all } = await logInto('info', 'pretty');
    log.warn({ turn: 't1' }, 'look here');
    expect(all()).toContain('look here');
    expect(all().startsWith('{')).toBe(false);
  });

  it('never writes a secret, wherever it is', async () => {
    const { log, all } = await logInto('debug');
    const canary = 'canary-4711-canary';
    const cause = new Error(`Authorization: Bearer ${canary}`);
    log.error(
      {
        secret: new Secret(canary),
        nested: { deep: { key: new Secret(canary) } },
        clientSecret: canary,
        headers: { authorization: `openapi ${canary}`, 'api-key': canary, cookie: canary },
        list: [{ password: canary }],
        address: `https://host/x?access_token=${canary}&a=1`,
        err: new BridgeError('platform-auth', `token=${canary} was refused`, { cause }),
      },
      `sent api-key: ${canary}`,
    );
    expect(all()).not.toContain(canary);
    expect(all()).toContain('***');
    expect(all()).toContain('platform-auth');
  });

  it.each([
    ...['secret', 'clientSecret', 'password', 'authorization', 'Proxy-Authorization', 'cookie', 'set-cookie'],
    ...['signature', 'api-key', 'apiKey', 'token', 'accessToken', 'access_token', 'consoleToken'],
  ])('masks the whole value of %s, at every depth', async (name) => {
    const { log, all } = await logInto('info');
    const value = 'four plain words here';
    log.info({ [name]: value, inner: { [name]: value, list: [{ [name]: value }] } }, 'look');
    expect(all()).not.toContain(value);
    expect(JSON.parse(all())).toMatchObject({ [name]: '***', inner: { list: [{ [name]: '***' }] } });
  });

  it.each(['turn', 'tokens', 'code', 'key', 'person'])('leaves the value of %s readable', async (name) => {
    const { log, all } = await logInto('info');
    log.info({ [name]: 'four plain words here' }, 'look');
    expect(all()).toContain('four plain words here');
  });
});

describe('receivers of turn events', () => {
  const event = { turn: turnId('t1'), at: 1, name: 'settled', detail: { state: 'answered' } } as const;

  it('log each turn under its id; usual events at info, the rest at debug', async () => {
    const { log, lines } = await logInto('info');
    const turnEvents = logTurnEvents(log);
    turnEvents.record(event);
    turnEvents.record({ ...event, name: 'session', detail: {} });
    turnEvents.record({ ...event, name: 'move', detail: { outcome: 'unknown' } });
    turnEvents.trouble(new BridgeError('store-unavailable', 'the disk is full'), 1);
    const told = lines.map((line) => JSON.parse(line));
    expect(told.map(({ level, event: name }) => [level, name])).toEqual([
      ['info', 'settled'],
      ['warn', 'move'],
      ['error', undefined],
    ]);
    expect(told[0]).toMatchObject({ turn: 't1', state: 'answered' });
  });

  const LEVELS: Readonly<Record<CoreEvent['name'], string>> = {
    ...{ kept: 'info', claimed: 'info', interrupted: 'info', released: 'info', postponed: 'info' },
    ...{
      settled: 'info',
      trouble: 'warn',
      waits: 'debug',
      routed: 'debug',
      images: 'debug',
      asking: 'debug',
    },
    ...{ session: 'debug', answering: 'debug', remark: 'debug', move: 'debug', ending: 'debug' },
    ...{ sources: 'debug', document: 'debug', feedback: 'debug' },
  };
  it.each(Object.entries(LEVELS) as [CoreEvent['name'], string][])('log %s at %s', async (name, level) => {
    const { log, lines } = await logInto('debug');
    logTurnEvents(log).record({ ...event, name, detail: { outcome: 'done' } });
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ level, event: name, turn: 't1' }]);
  });

  it('affect neither the core nor each other when they throw', async () => {
    const { log, all } = await logInto('info');
    const seen: string[] = [];
    const broken = {
      record: () => {
        throw new Error('broken receiver');
      },
      trouble: () => undefined,
    };
    everyTurnEvents(
      [broken, { record: ({ name }) => seen.push(name), trouble: () => undefined }],
      log,
    ).record(event);
    expect(seen).toEqual(['settled']);
    expect(all()).toContain('broken receiver');
  });
});
