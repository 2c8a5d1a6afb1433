/** Tests how `parley ask` ends: with its exit code, its images, and sources that arrive after the end of the text. */

import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createTerminal } from '../../../adapters/terminal/index.ts';
import { ask } from '../../../src/cli/ask.ts';
import { withConversation } from '../../../src/cli/conversation.ts';
import { begin, finish } from '../../../src/core/live-reply/compose.ts';
import { change, type ReplyDocument } from '../../../src/core/reply.ts';
import { exitCode } from '../../../src/errors.ts';
import type { ShowReply } from '../../../src/kit/terminal.ts';
import { type AdapterHost, turnId } from '../../../src/kit.ts';
import { makeDataFolder } from '../../e2e/house/running-parley.ts';
import { house } from '../../fakes/house.ts';
import { source } from '../../fakes/samples.ts';

afterEach(() => vi.unstubAllEnvs());

it('the command waits until the turn has settled, and returns the last state', async () => {
  const data = await makeDataFolder();
  vi.stubEnv('PARLEY_DATA', data.path);
  vi.stubEnv('PLATFORM_BASE_URL', 'http://127.0.0.1:9');
  const turn = turnId('t');
  const done = finish(change(begin(turn), { text: 'An answer.' }));
  let late: () => void = () => undefined;
  const terminal = async (show: ShowReply) => ({
    ...createTerminal(show),
    ask: async () => {
      show(turn, done);
      late = () => show(turn, change(done, { sources: [source()] }));
      return { kind: 'kept', turn, ahead: 0 } as const;
    },
    settled: async () => late(),
  });
  const seen: ReplyDocument[] = [];
  await withConversation({ ...house, terminal }, undefined, async ({ ask }) => {
    const last = await ask({ text: 'q', thread: 'k', images: [] }, (document) => seen.push(document));
    expect(last.sources).toHaveLength(1);
    return 0;
  });
  expect(seen.map(({ sources }) => sources.length)).toEqual([0, 1]);
  await data.remove();
});

describe('an answer', () => {
  let data: Awaited<ReturnType<typeof makeDataFolder>>;
  beforeEach(async () => {
    data = await makeDataFolder();
    vi.stubEnv('PARLEY_DATA', data.path);
    vi.stubEnv('PLATFORM_BASE_URL', 'http://127.0.0.1:9');
  });
  afterEach(() => data.remove());
  const turn = turnId('t');
  const begun = change(begin(turn), { text: 'An answer.' });
  const answering =
    (document: ReplyDocument, settled = async () => undefined) =>
    async (show: ShowReply) => ({
      ...createTerminal(show),
      async ask() {
        show(turn, document);
        return { kind: 'kept', turn, ahead: 0 } as const;
      },
      settled,
      receipt: async () => [],
    });

  it.each<[string, ReplyDocument, number]>([
    ['done', finish(begun), 0],
    ['without its end', { ...finish(begun), endedWithoutMarker: true }, 1],
    ['partial', { ...finish(begun), state: 'partial' }, 1],
    ['stopped', { ...finish(begun), state: 'stopped' }, 1],
    ['failed', { ...finish(begun), state: 'failed', error: 'platform-busy' }, exitCode('platform-busy')],
    [
      'broken off',
      { ...finish(begun), state: 'partial', error: 'store-unavailable' },
      exitCode('store-unavailable'),
    ],
  ])('that is %s has its exit code', async (_, document, code) => {
    const printed = vi.spyOn(console, 'log').mockReturnValue();
    expect(await ask({ json: true }, { ...house, terminal: answering(document) }, ['q'])).toBe(code);
    expect(JSON.parse(String(printed.mock.calls[0]?.[0]))).toMatchObject({
      state: document.state,
      text: 'An answer.',
    });
    printed.mockRestore();
  });

  it('is returned even if the store fails after its end', async () => {
    const terminal = answering(finish(begun), () => Promise.reject(new Error('the disk is full')));
    await withConversation({ ...house, terminal }, undefined, async (conversation) => {
      const last = await conversation.ask({ text: 'q', thread: 'k', images: [] }, () => undefined);
      expect(last.text).toBe('An answer.');
      return 0;
    });
  });

  it('with images makes room for them by deleting the oldest of 100', async () => {
    const folder = join(data.path, 'terminal', 'media');
    await mkdir(folder, { recursive: true });
    const names = Array.from({ length: 99 }, (_, nth) => `a${String(nth).padStart(2, '0')}.png`);
    await Promise.all(names.map((name) => writeFile(join(folder, name), '')));
    const image = { kind: 'image', name: 'x', ref: { kind: 'file-id', id: '1' } } as const;
    const document = finish(change(begun, { media: ['1', '2', '3'].map((id) => ({ ...image, id })) }));
    await withConversation({ ...house, terminal: answering(document) }, undefined, async (conversation) => {
      expect(await conversation.media(document)).toHaveLength(3);
      return 0;
    });
    expect((await readdir(folder)).toSorted()).toEqual(names.slice(2));
  });
});

it('the command asks the bridge repeatedly until the turn has settled', async () => {
  const asked: string[] = [];
  const host: Pick<AdapterHost, 'clock' | 'pending'> = {
    clock: { now: () => 1, wait: async () => undefined },
    pending: async (turn) => asked.push(turn) < 3,
  };
  const terminal = createTerminal(() => undefined);
  await terminal.adapter.start(host as AdapterHost);
  await terminal.settled(turnId('t'));
  expect(asked).toEqual(['t', 't', 't']);
});
