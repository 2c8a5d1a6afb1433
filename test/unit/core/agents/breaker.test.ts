import { expect, test } from 'vitest';
import { Breaker, verdictOf } from '../../../../src/core/agents/breaker.ts';
import { turnId } from '../../../../src/core/ids.ts';
import { BridgeError, type ErrorCode } from '../../../../src/errors.ts';
import { createVirtualClock } from '../../../fakes/virtual-clock.ts';

const DOWN = new BridgeError('platform-unreachable', 'refused');
const SERVER_ERROR = new BridgeError('platform-server', 'HTTP 503', { facts: { httpStatus: 503 } });
const BUSY = new BridgeError('platform-busy', 'HTTP 429', { facts: { httpStatus: 429 } });

function make({ failures = 3, atOnce = 2, answers = true } = {}) {
  const clock = createVirtualClock();
  const platform = { answers, probes: 0 };
  const breaker = new Breaker({
    clock,
    failures,
    atOnce,
    probe: async () => {
      platform.probes += 1;
      return platform.answers;
    },
  });
  let turns = 0;
  const admit = () => {
    turns += 1;
    const asking = breaker.admit(turnId(`turn-${turns}`));
    if (asking === undefined) throw new Error('not admitted');
    return asking;
  };
  const fail = async (error: BridgeError, asking = admit()) => {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    void asking.failed(error).then(resolve);
    await clock.pass(1_000);
    asking.end();
    return promise;
  };
  /** Runs one check a second for `ms` milliseconds, with no turn to resume. */
  const check = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 1_000) {
      await breaker.check();
      breaker.resumed(0);
      await clock.pass(1_000);
    }
  };
  return { clock, platform, breaker, admit, fail, check };
}

test('one failed question changes nothing while the platform answers probes', async () => {
  const { breaker, fail, platform } = make();
  expect(await fail(SERVER_ERROR)).toBe(false);
  expect(breaker.state).toBe('up');
  expect(platform.probes).toBe(1);
});

test('a failed question and two failed probes open it; questions that fail together share the probes', async () => {
  const { breaker, admit, platform, clock } = make({ answers: false });
  const [one, other] = [admit(), admit()];
  const both = Promise.all([one.failed(DOWN), other.failed(DOWN)]);
  await clock.pass(1_000);
  expect(await both).toEqual([true, true]);
  expect(platform.probes).toBe(2);
  expect(breaker.state).toBe('down');
  expect(breaker.admit(turnId('next'))).toBeUndefined();
});

test('a probe that is answered a second later does not open it', async () => {
  const { breaker, admit, platform, clock } = make({ answers: false });
  const failed = admit().failed(DOWN);
  await clock.pass(500);
  platform.answers = true;
  await clock.pass(500);
  expect(await failed).toBe(false);
  expect(breaker.state).toBe('up');
});

test('consecutive failures of different turns open it even if probes are answered', async () => {
  const { breaker, fail } = make({ failures: 3 });
  expect(await fail(SERVER_ERROR)).toBe(false);
  expect(await fail(SERVER_ERROR)).toBe(false);
  expect(await fail(SERVER_ERROR)).toBe(true);
  expect(breaker.state).toBe('down');
});

test('an answer, a refusal and ten minutes reset the count', async () => {
  const { breaker, fail, admit, clock } = make({ failures: 2 });
  await fail(SERVER_ERROR);
  admit().answered();
  await fail(SERVER_ERROR);
  await fail(BUSY);
  await fail(SERVER_ERROR);
  await clock.pass(10 * 60_000);
  await fail(SERVER_ERROR);
  expect(breaker.state).toBe('up');
});

test('the same turn counts once', async () => {
  const { breaker, fail } = make({ failures: 2 });
  const asking = breaker.admit(turnId('same'));
  await fail(SERVER_ERROR, asking);
  await fail(SERVER_ERROR, asking);
  expect(breaker.state).toBe('up');
});

test('probes get rarer, up to every 30 s', async () => {
  const { check, fail, platform } = make({ answers: false });
  await fail(DOWN);
  platform.probes = 0;
  await check(60_000);
  expect(platform.probes).toBe(4);
  platform.probes = 0;
  await check(300_000);
  expect(platform.probes).toBe(10);
});

test('once a probe is answered, one question tries; its answer lets the others in, a bounded number at a time', async () => {
  const { breaker, fail, platform, check, admit } = make({ answers: false, atOnce: 2 });
  await fail(DOWN);
  platform.answers = true;
  await check(2_000);
  await breaker.check();
  expect(breaker.state).toBe('trial');
  expect(breaker.room).toBe(1);
  const trial = admit();
  expect(breaker.room).toBe(0);
  expect(breaker.admit(turnId('second'))).toBeUndefined();
  trial.answered();
  expect(breaker.state).toBe('recovering');
  expect(breaker.room).toBe(1);
  const next = admit();
  expect(breaker.admit(turnId('third'))).toBeUndefined();
  trial.end();
  next.end();
  expect(breaker.room).toBe(2);
  breaker.resumed(1);
  await check(3_000);
  expect(breaker.state).toBe('up');
  expect(breaker.since).toBeUndefined();
});

test('a trial that fails closes the way again, for twice as long', async () => {
  const { breaker, fail, platform, check, clock } = make({ answers: false });
  await fail(DOWN);
  const { since } = breaker;
  platform.answers = true;
  await check(2_000);
  await breaker.check();
  expect(await fail(SERVER_ERROR)).toBe(true);
  expect(breaker.state).toBe('down');
  expect(breaker.since).toBe(since);
  platform.probes = 0;
  await check(2_000);
  expect(platform.probes).toBe(0);
  await clock.pass(2_000);
  await breaker.check();
  expect(breaker.state).toBe('trial');
});

test('a trial without any answer lets another question try after 15 s', async () => {
  const { breaker, platform, clock, admit } = make();
  breaker.suspect();
  await breaker.check();
  admit();
  await clock.pass(14_000);
  expect(breaker.room).toBe(0);
  await clock.pass(1_000);
  expect(breaker.room).toBe(1);
  expect(platform.probes).toBe(1);
});

test('is over at once if no question waits when a probe is answered', async () => {
  const { breaker, check } = make();
  breaker.suspect();
  expect(breaker.admit(turnId('early'))).toBeUndefined();
  await check(4_000);
  expect(breaker.state).toBe('up');
});

test.each<[ErrorCode, Record<string, number>, string]>([
  ['platform-unreachable', {}, 'down'],
  ['platform-server', { httpStatus: 500 }, 'down'],
  ['platform-server', { httpStatus: 504 }, 'down'],
  ['platform-server', { httpStatus: 200 }, 'answers'],
  ['platform-interrupted', { bytes: 0 }, 'down'],
  ['platform-interrupted', { bytes: 10 }, 'unclear'],
  ['platform-auth', { httpStatus: 401 }, 'answers'],
  ['platform-parameter', { httpStatus: 400 }, 'answers'],
  ['platform-timeout', {}, 'unclear'],
  ['internal', {}, 'unclear'],
])('%s with %o shows: %s', (code, facts, verdict) => {
  expect(verdictOf(new BridgeError(code, 'x', { facts }))).toBe(verdict);
});

test('a probe that answers late changes nothing that was decided meanwhile', async () => {
  const clock = createVirtualClock();
  const probes: PromiseWithResolvers<boolean>[] = [];
  const probe = () => {
    const started = Promise.withResolvers<boolean>();
    probes.push(started);
    return started.promise;
  };
  const breaker = new Breaker({ clock, failures: 3, atOnce: 2, probe });
  breaker.suspect();
  const [early, late] = [breaker.check(), breaker.check()];
  probes[0]?.resolve(true);
  await early;
  expect(breaker.state).toBe('trial');
  probes[1]?.resolve(false);
  await late;
  expect(breaker.state).toBe('trial');
});

test('a second outage is confirmed by probes of its own', async () => {
  const { platform, fail } = make({ failures: 9 });
  expect(await fail(DOWN)).toBe(false);
  const { probes } = platform;
  platform.answers = false;
  expect(await fail(DOWN)).toBe(true);
  expect(platform.probes).toBeGreaterThan(probes);
});

test('a question that began before the outage does not end the trial when it fails', async () => {
  const { breaker, platform, admit, fail, check, clock } = make({ answers: false });
  const early = admit();
  await fail(DOWN);
  platform.answers = true;
  for (let passed = 0; breaker.state !== 'trial' && passed < 60; passed += 1) {
    await breaker.check();
    await clock.pass(1_000);
  }
  expect(await fail(DOWN, early)).toBe(true);
  expect(breaker.state).toBe('trial');
  await check(0);
});
