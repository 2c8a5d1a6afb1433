import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Feed } from '../../../adapters/console/chat/feed.ts';
import { Streams } from '../../../adapters/console/http/streams.ts';
import type { ConsoleState } from '../../../adapters/console/wire.ts';
import { documentOf, follow, json, openRig, type Rig, show, turnOf } from './rig.ts';

const room = { id: 'r', name: 'r', topic: '', kind: 'room' } as const;

describe('the feed', () => {
  it('replays nothing after a number that it no longer keeps or never had', () => {
    const feed = new Feed(10);
    for (let count = 0; count < 1_001; count += 1) feed.publish({ type: 'room', room }, 11 + count);
    expect(feed.after(11)).toHaveLength(1_000);
    for (const since of [0, 9, 10, 5_000, Number.NaN]) expect(feed.after(since)).toBeUndefined();
  });

  it('keeps at most 2 MiB for its replay', () => {
    const feed = new Feed(0);
    const topic = 'x'.repeat(1_000_000);
    for (let count = 0; count < 3; count += 1)
      feed.publish({ type: 'room', room: { ...room, topic } }, 1 + count);
    expect(feed.after(0)).toBeUndefined();
    expect(feed.after(1)?.length).toBe(2);
  });
});

describe('the event stream', () => {
  let rig: Rig;
  beforeEach(async () => {
    rig = await openRig();
  });
  afterEach(() => rig.close());

  it('says hello, replays the events after `since`, then sends each new one', async () => {
    const { seq } = await rig.get<ConsoleState>('/console/state');
    await rig.say('general', { text: 'missed' });
    const stream = await follow(rig, seq);
    await rig.say('general', { text: 'live' });
    await stream.until((event) => event.type === 'message' && event.message.text === 'live');
    expect(stream.events.map((event) => [event.type, event.seq - seq])).toEqual([
      ['hello', 0],
      ['message', 1],
      ['message', 2],
    ]);
    stream.close();
  });

  it('resumes after Last-Event-ID, even if the address contains an earlier `since`', async () => {
    const { seq } = await rig.get<ConsoleState>('/console/state');
    await rig.say('general', { text: 'seen' });
    const answer = await rig.call(`/console/events?since=${seq}`, {
      headers: { 'last-event-id': `${seq + 1}` },
    });
    const reader = answer.body?.getReader();
    const first = new TextDecoder().decode((await reader?.read())?.value);
    expect(first).toContain(`"type":"hello","seq":${seq + 1}`);
    expect(first).not.toContain('seen');
    await reader?.cancel();
  });

  it('gives a message the number of its event, so that a page recognises known changes', async () => {
    const stream = await follow(rig);
    const message = await rig.say('general', { text: 'hi' });
    const event = await stream.until((one) => one.type === 'message');
    expect(event.seq).toBe(message.seq);
    stream.close();
  });

  it('sends only the changes of a growing reply', async () => {
    const stream = await follow(rig);
    await rig.say('general', { text: '@knowledge hi' });
    const turn = turnOf(rig.host.taken[0], 't1');
    const steps = [{ id: 's', name: 'Look', state: 'running' }] as const;
    const sources = [1, 2].map((mark) => ({
      key: `k${mark}`,
      title: `${mark}`,
      kind: 'document' as const,
      mark,
      fragments: [],
    }));
    const common = { state: 'writing', steps, sources } as const;
    await show(rig, turn, [
      documentOf(turn, { version: 1, ...common, text: 'One' }),
      documentOf(turn, { version: 2, ...common, text: 'One [2]' }),
      documentOf(turn, { version: 3, ...common, text: 'One [2] two [1]' }),
      documentOf(turn, { version: 4, ...common, text: 'Uno', rewrites: 1 }),
      documentOf(turn, { version: 5, ...common, steps: [], text: 'Uno', rewrites: 1 }),
      documentOf(turn, { version: 6, ...common, steps: [], text: 'Uno', rewrites: 1, state: 'done' }),
    ]);
    await stream.until((one) => one.type === 'message' && one.message.reply?.state === 'done');
    const replies = stream.events.flatMap((one) => (one.type === 'reply' ? [one] : []));
    expect(replies.map(({ text }) => text)).toEqual([
      { at: 3, text: ' [2]' },
      { at: 7, text: ' two [1]' },
      { at: 0, text: 'Uno' },
      undefined,
    ]);
    expect(replies.map(({ rest }) => rest?.sources.map((one) => one.key).join())).toEqual([
      'k2,k1',
      undefined,
      'k1,k2',
      'k1,k2',
    ]);
    stream.close();
  });

  it('drops a browser that does not read, without delaying the others', async () => {
    const slow = connect(rig.port, '127.0.0.1');
    slow.pause();
    slow.write('GET /console/events HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n');
    const reading = await follow(rig);
    const text = 'x'.repeat(99_000);
    for (let count = 0; count < 160; count += 1) await rig.say('random', { text: `${count} ${text}` });
    const seen = () => reading.events.filter(({ type }) => type === 'message').length;
    await expect.poll(seen).toBe(160);
    let received = '';
    const dropped = new Promise((resolve) => slow.on('close', resolve).on('error', resolve));
    slow.on('data', (bytes) => {
      received += bytes.toString('latin1');
    });
    slow.resume();
    await dropped;
    expect(received).toContain('"type":"hello"');
    expect(received).toContain('"text":"0 xxx');
    expect(received).not.toContain('"text":"159 xxx');
    reading.close();
  });

  it('ends when the console stops', async () => {
    const stream = await follow(rig);
    await rig.adapter.stop();
    await expect(stream.until((event) => event.type === 'reload')).rejects.toThrow('the stream ended');
    await rig.adapter.start(rig.host);
  });
});

describe('a page that has gone', () => {
  it('leaves no reader, and frees its place among the open streams', async () => {
    const feed = new Feed(0);
    const streams = new Streams(feed);
    const read = feed.read.bind(feed);
    const readers = new Set<object>();
    feed.read = (reader) => {
      readers.add(reader);
      const leave = read(reader);
      return () => {
        readers.delete(reader);
        leave();
      };
    };
    const server = createServer((request, response) =>
      streams.open(request, response, { since: undefined, mayRead: () => true, isValid: () => true }),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    // Opens one stream more than may be open at the same time, but closes each one before it opens the next.
    for (let count = 0; count < 501; count += 1) {
      const leaving = new AbortController();
      const answer = await fetch(address, { signal: leaving.signal });
      expect(answer.status).toBe(200);
      expect(readers.size).toBe(1);
      leaving.abort();
      await expect.poll(() => readers.size, { interval: 1 }).toBe(0);
    }
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  it('leaves no timer, and neither does a failed request or a stopped console', async () => {
    const waits = new Set<string>();
    let count = 0;
    const rig = await openRig({
      host: (host) => {
        const { clock } = host;
        const counting = async (ms: number, signal?: AbortSignal) => {
          const name = `${++count}: ${ms} ms`;
          waits.add(name);
          await clock.wait(ms, signal).finally(() => waits.delete(name));
        };
        Object.assign(host, { clock: { now: clock.now, wait: counting } });
      },
    });
    const whileIdle = waits.size;
    await rig.say('general', { text: 'in time' });
    await rig.call('/console/rooms/general/messages', json('{'));
    await rig.call('/console/rooms/general/messages', json('x'.repeat(3_000_000))).catch(() => undefined);
    const half = connect(rig.port, '127.0.0.1');
    half.write(
      'POST /console/rooms HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{',
    );
    await expect.poll(() => waits.size).toBe(whileIdle + 1);
    half.destroy();
    await expect.poll(() => [...waits].length).toBe(whileIdle);
    await rig.close();
    expect([...waits]).toEqual([]);
  });
});
