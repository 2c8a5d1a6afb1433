import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import type { ConsoleEvent } from '../../../adapters/console/wire.ts';
import type { ReplyDocument } from '../../../src/kit.ts';
import { documentOf, follow, openRig, show, turnOf } from './rig.ts';

interface Recording {
  readonly question: string;
  /** For each document, the members that differ from the document before it. */
  readonly documents: readonly Partial<ReplyDocument>[];
}

const recording = new URL('../../recorded/console/reply.json', import.meta.url);
const events = new URL('../../recorded/console/reply.events.json', import.meta.url).pathname;

it('sends the recorded events for a recorded reply', async () => {
  const { question, documents } = JSON.parse(await readFile(recording, 'utf8')) as Recording;
  const rig = await openRig();
  const stream = await follow(rig);
  await rig.say('general', { text: question });
  const turn = turnOf(rig.host.taken[0], 'turn-1');
  let document = documentOf(turn, { version: 0 });
  const all = documents.map((change, index) => {
    document = { ...document, ...change, version: index + 1 };
    return document;
  });
  await show(rig, turn, all);
  await stream.until((event) => event.type === 'message' && event.message.reply?.state === 'done');
  stream.close();
  await rig.close();
  await expect(`${JSON.stringify(plain(stream.events), null, 2)}\n`).toMatchFileSnapshot(events);
});

/** Replaces the values that differ between runs: ids, sequence numbers and times. */
function plain(list: readonly ConsoleEvent[]): unknown {
  const ids = new Map<string, string>();
  const first = list[0]?.seq ?? 0;
  const name = (id: string) => ids.get(id) ?? ids.set(id, `id-${ids.size + 1}`).get(id);
  const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
  const text = JSON.stringify(list, (key, value: unknown) => {
    if (key === 'at' && typeof value === 'number' && value > 1e9) return 'a time';
    if (key === 'lastAt') return 'a time';
    return key === 'seq' && typeof value === 'number' ? value - first : value;
  });
  return JSON.parse(text.replace(uuid, (id) => String(name(id))));
}
