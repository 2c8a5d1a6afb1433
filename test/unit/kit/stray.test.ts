/** Tests stray errors in a process of its own, because Vitest handles those of its own process. */

import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

const module = new URL('../../../src/kit/stray.ts', import.meta.url).href;

function run(code: string) {
  const whole = `import { catchStrays, disowned, listen, ownedBy } from '${module}';
    import { EventEmitter } from 'node:events';
    const emitter = new EventEmitter();
    const fail = (text) => { throw new Error(text); };
    const by = (name, work) => ownedBy((thrown) => console.log(name, thrown.message), work);
    const stop = catchStrays();
    ${code}`;
  const args = ['--input-type=module', '-e', whole];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 20_000 });
  return { status, lines: stdout.trim().split('\n').toSorted(), stderr };
}

test('each stray error goes to the owner whose code caused it', () => {
  const { status, lines } = run(`
    by('one', () => setTimeout(() => fail('timer'), 1));
    by('one', async () => fail('promise'));
    by('two', () => queueMicrotask(() => fail('microtask')));
    by('two', () => fetch('http://127.0.0.1:1/'));
    setTimeout(() => console.log('and on'), 50);`);
  expect({ status, lines }).toEqual({
    status: 0,
    lines: ['and on', 'one promise', 'one timer', 'two fetch failed', 'two microtask'],
  });
});

test('a handler belongs to the owner that added it, whoever emits the event', () => {
  const { status, lines } = run(`
    const off = by('one', () => listen(emitter, 'said', (text) => fail('throws ' + text)));
    by('two', () => listen(emitter, 'said', async (text) => fail('rejects ' + text)));
    emitter.emit('said', 'a');
    off();
    setTimeout(() => emitter.emit('said', 'b'), 20);`);
  expect({ status, lines }).toEqual({
    status: 0,
    lines: ['one throws a', 'two rejects a', 'two rejects b'],
  });
});

test.each([
  ['a throw goes to the process’s own listener', 'uncaughtException', "setTimeout(() => fail('mine'), 1);"],
  ['a rejection goes to it', 'unhandledRejection', "void (async () => fail('mine'))();"],
  [
    'a rejection is an exception if none listens to rejections',
    'uncaughtException',
    "void (async () => fail('mine'))();",
  ],
])('%s', (_, event, code) => {
  const { status, lines } = run(`
    process.on('${event}', (thrown) => console.log('own', thrown.message));
    ${code} setTimeout(() => console.log('and on'), 50);`);
  expect({ status, lines }).toEqual({ status: 0, lines: ['and on', 'own mine'] });
});

test.each([
  ['a throw', "setTimeout(() => fail('mine'), 1);"],
  ['a rejection', "void (async () => fail('mine'))();"],
  [
    'a throw of the bridge that an owner called',
    "by('one', () => disowned(() => setTimeout(() => fail('mine'), 1)));",
  ],
  ['an error after the last use', "stop(); by('one', () => setTimeout(() => fail('mine'), 1));"],
  [
    'an error of a handler without an owner',
    "listen(emitter, 'said', () => fail('mine')); emitter.emit('said');",
  ],
])('%s without an owner ends the process as before', (_, code) => {
  const { status, lines, stderr } = run(`${code} setTimeout(() => console.log('and on'), 50);`);
  expect({ status, lines }).toEqual({ status: 1, lines: [''] });
  expect(stderr).toContain('Error: mine');
});
