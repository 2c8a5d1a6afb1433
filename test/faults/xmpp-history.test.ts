/**
 * The history checker finds no breach in the archives of a good run through a real XMPP server, and finds every breach
 * that is planted in these archives, or in the record made of them.
 */

import { type XmlElement, xml } from '@xmpp/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Rule } from '../fakes/history/breach.ts';
import { check } from '../fakes/history/check.ts';
import type { History } from '../fakes/history/history.ts';
import { idOf } from '../fakes/history/saying.ts';
import { until } from '../fakes/history/scene.ts';
import type { XmppArchives } from '../fakes/history/xmpp-record.ts';
import type { ArchivedMessage } from '../fakes/xmpp/archive.ts';
import { onServers } from '../fakes/xmpp/on-servers.ts';
import type { Planned } from './load/plan.ts';
import { historyOf, settled } from './load/run-xmpp.ts';
import { openXmppTown, type XmppTown } from './load/xmpp-town.ts';
import { planted } from './planted.ts';

const RUN_MS = 120_000;
const A = idOf(1);
const B = idOf(2);
const LONG = idOf(4);
const PERSONAL = idOf(201);

type Archive = readonly ArchivedMessage[];
type Change = (archive: Archive) => Archive;

const textOf = ({ message }: ArchivedMessage): string => message.getChildText('body') ?? '';
const isAbout = (id: string) => (each: ArchivedMessage) => textOf(each).includes(`canary=${id}`);
const isCorrection = ({ message }: ArchivedMessage): boolean =>
  message.getChild('replace', 'urn:xmpp:message-correct:0') !== undefined;

/** Returns a copy of an archived message with other attributes, and without some children. */
function copyOf(
  each: ArchivedMessage,
  attrs: Readonly<Record<string, string>>,
  keeps: (child: XmlElement | string) => boolean = () => true,
): ArchivedMessage {
  const { name, attrs: own, children } = each.message;
  return {
    ...each,
    id: `${each.id}-copy`,
    message: xml(name, { ...own, ...attrs }, ...children.filter(keeps)),
  };
}

/** Returns the archived message with half of its text if it shows the answer. */
function halved(each: ArchivedMessage, id: string): ArchivedMessage {
  if (!isAbout(id)(each)) return each;
  const { name, attrs, children } = each.message;
  const rest = children.filter((child) => typeof child === 'string' || child.name !== 'body');
  const body = xml('body', {}, textOf(each).slice(0, textOf(each).length / 2));
  return { ...each, message: xml(name, attrs, ...rest, body) };
}

const without =
  (isIt: (each: ArchivedMessage) => boolean): Change =>
  (archive) =>
    archive.filter((each) => !isIt(each));

/** Adds a copy of the last message that shows the answer, as a message of its own. */
const twice =
  (id: string, attrs: Readonly<Record<string, string>>): Change =>
  (archive) => {
    const last = archive.findLast(isAbout(id));
    if (last === undefined) return archive;
    const isReplace = (child: XmlElement | string) => typeof child !== 'string' && child.name === 'replace';
    return [...archive, copyOf(last, attrs, (child) => !isReplace(child))];
  };

/** Moves all messages of the answer before those of another one. */
const before =
  (later: string, earlier: string): Change =>
  (archive) => {
    const first = archive.findIndex(isAbout(earlier));
    const at = (archive[first]?.at ?? 0) - 1_000;
    const moved = archive.filter(isAbout(later)).map((each) => ({ ...each, at }));
    const rest = archive.filter((each) => !isAbout(later)(each));
    return [...rest.slice(0, first), ...moved, ...rest.slice(first)];
  };

const inArchives: readonly (readonly [what: string, rule: Rule, change: Change])[] = [
  ['an answer in a room that was lost', 'terminal', without(isAbout(A))],
  ['an answer in a direct chat that was lost', 'terminal', without(isAbout(PERSONAL))],
  [
    'the end of an answer that was lost',
    'text',
    // An answer may come whole in one message, so its first message is shortened, too.
    (archive) =>
      archive.filter((each) => !(isAbout(A)(each) && isCorrection(each))).map((each) => halved(each, A)),
  ],
  [
    'a later message of a long answer that was lost',
    'text',
    (archive) => {
      const last = archive.findLast((each) => isAbout(LONG)(each) && !isCorrection(each));
      return archive.filter((each) => each !== last);
    },
  ],
  [
    'an answer that was posted twice under one mark',
    'duplicate',
    (archive) => {
      const first = archive.find((each) => isAbout(A)(each) && !isCorrection(each));
      return twice(A, { id: `${first?.message.attrs.id}again` })(archive);
    },
  ],
  ['an answer that was posted twice without a mark', 'text', twice(A, { id: 'another' })],
  ['answers of a thread in the wrong order', 'order', before(B, A)],
  [
    'an answer in the thread of another question',
    'crossing',
    (archive) => {
      const thread = archive.find(isAbout(LONG))?.message.getChildText('thread') ?? '';
      return archive.map((each) =>
        isAbout(A)(each)
          ? {
              ...each,
              message: xml(
                each.message.name,
                each.message.attrs,
                ...each.message.children.filter(
                  (child) => typeof child === 'string' || child.name !== 'thread',
                ),
                xml('thread', {}, thread),
              ),
            }
          : each,
      );
    },
  ],
];

const planOf = (id: string, chars: number, more: Partial<Planned> = {}): Planned => ({
  ...{ channel: 'slack', workspace: 0, person: 0, room: 0, kind: 'room', follows: false, retries: false },
  saying: { id, ms: 300, everyMs: 50, chars },
  ...more,
});

onServers(
  (name) => {
    let town: XmppTown;
    let archives: XmppArchives;
    let good: History;

    /** Asks as the good runs through Slack and Teams do, and a question in a direct chat. */
    beforeAll(async () => {
      town = await openXmppTown(name, 20);
      for (const room of [0, 1]) {
        const ask = (nth: number, chars: number, more: Partial<Planned> = {}) =>
          town.people.ask(planOf(idOf(room * 100 + nth), chars, { room, ...more }));
        ask(1, 600);
        ask(2, 400, { follows: true });
        ask(3, 500, { follows: true });
        ask(4, 8_000);
        ask(5, 2_000, {
          saying: { id: idOf(room * 100 + 5), ms: 300, everyMs: 50, chars: 2_000, cutAt: 900 },
        });
      }
      town.people.ask(planOf(PERSONAL, 600, { kind: 'direct' }));
      await town.people.sent();
      await until('all questions are answered', () => town.platform.askings.length === 11);
      await settled(town);
      archives = await town.archives();
      good = historyOf(town, archives);
    }, RUN_MS);
    afterAll(() => town?.close());

    test('a good run breaks no rule', () => {
      expect(check(good)).toEqual([]);
      expect(good.questions).toHaveLength(11);
      expect(good.askings).toHaveLength(11);
    });

    test.each(inArchives)('finds %s', (_, rule, change) => {
      const rooms = new Map([...archives.rooms].map(([room, archive]) => [room, change(archive)]));
      const history = historyOf(town, { ...archives, rooms, direct: change(archives.direct) });
      expect(check(history).map((breach) => breach.rule)).toContain(rule);
    });

    test.each(planted)('finds in the record: %s', (_, rule, plant) => {
      const history = plant({ good, opens: 'send' });
      expect(check(history).map((breach) => breach.rule)).toContain(rule);
    });
  },
  { isDurable: true },
);
