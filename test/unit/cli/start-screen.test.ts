import { describe, expect, it } from 'vitest';
import { createStartScreen } from '../../../src/cli/start-screen.ts';
import { createLog } from '../../../src/observe/log.ts';

function rig(terminal: boolean, pretty: boolean) {
  const written = { out: '', err: '' };
  const stream = (name: 'out' | 'err') => ({
    isTTY: terminal,
    write: (text: string) => {
      written[name] += text;
    },
  });
  const err = stream('err');
  const log = createLog({ level: 'info', format: pretty ? 'pretty' : 'json', write: err.write });
  return { written, screen: createStartScreen({ out: stream('out'), err, log, pretty }) };
}

function start(screen: ReturnType<typeof createStartScreen>): void {
  screen.state('Slack is off: none of its settings is set');
  screen.indexing({ done: 0, total: 2 });
  screen.ready('http://127.0.0.1:3000');
  screen.indexing({ done: 1, total: 2 });
  screen.indexing({ done: 2, total: 2 });
}

/** Returns the text that a terminal shows: what follows the last carriage return in each line. */
const shown = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.split('\r\u001b[K').at(-1))
    .join('\n');

describe('the output of a start', () => {
  it('on a terminal: sentences without time and level, then the address', () => {
    const all: string[] = [];
    const stream = { isTTY: true, write: (text: string) => all.push(text) };
    const log = createLog({ level: 'info', format: 'pretty', write: stream.write });
    start(createStartScreen({ out: stream, err: stream, log, pretty: true }));
    expect(shown(all.join(''))).toBe(
      'Slack is off: none of its settings is set.\n\nParley is ready: http://127.0.0.1:3000\n',
    );
  });

  it.each([
    ['in a pipe', false, false],
    ['on a terminal, where JSON is set', true, false],
  ])('%s: JSON on standard error, and the address alone on standard output', (_, terminal, pretty) => {
    const { written, screen } = rig(terminal, pretty);
    start(screen);
    expect(written.out).toBe('Parley is ready: http://127.0.0.1:3000\n');
    const lines = written.err.trim().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual([
      'Slack is off: none of its settings is set',
      'indexing documents',
      'the documents are indexed',
    ]);
  });

  it('in a pipe with the pretty format: the log lines, without a rewritten line', () => {
    const { written, screen } = rig(false, true);
    start(screen);
    expect(written.err).not.toContain('\r');
    expect(written.err).toContain('the documents are indexed');
  });
});
