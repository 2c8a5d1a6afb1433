/**
 * Slack as a channel that `parley conform` can check, with the fake Slack as its chat:
 * `parley conform test/conform/slack.ts`.
 */

import { slack } from '../../adapters/slack/channel.ts';
import type { Channel, Delivered, OpenRig, RigPress, RigQuestion } from '../../src/kit/package.ts';
import type { FakePerson, Fault, Message } from '../fakes/slack/index.ts';
import { liveControls, startFakeSlack } from '../fakes/slack/index.ts';
import { controlOf } from '../unit/slack/controls.ts';
import { bodyOf } from '../unit/slack/write/rig.ts';

export const channel = (): Channel => slack;

/** Time for a note to appear after a press, in milliseconds. */
const NOTE_MS = 500;

const faults = {
  lost: { kind: 'refuse' },
  hidden: { kind: 'reset' },
  hang: { kind: 'hang' },
  rate: { kind: 'rate', retryAfter: 1 },
  busy: { kind: 'status', status: 503 },
  invalid: { kind: 'error', error: 'invalid_blocks' },
  gone: { kind: 'error', error: 'is_archived' },
} as const satisfies Record<string, Fault>;

const ACTIONS = ['retry', 'regenerate', 'suggestion', 'agent', 'feedback', 'mine'] as const;

/** @param streaming the setting `slack.streaming` */
export const openSlack =
  (streaming: 'always' | 'never'): OpenRig =>
  async (_kit, { url }) => {
    const fake = await startFakeSlack({
      ...{ limits: { off: true }, processingMs: 0, triggerMs: 60_000, deliverTo: `${url}/slack/events` },
      deliveryTimes: { answerWithinMs: 9_000, retriesMs: [] },
    });
    const workspace = fake.workspace();
    const room = workspace.channel();
    const people = new Map<string, FakePerson>();
    const roots = new Map<string, string>();
    const asked = new Map<string, Message>();
    const personOf = (name: string): FakePerson => {
      const person = people.get(name) ?? workspace.person({ name });
      people.set(name, person);
      room.members.add(person.id);
      return person;
    };
    /** Resolves once Slack has the app's responses to the events that the work caused. */
    const delivered = async (work: () => unknown): Promise<Delivered> => {
      const before = fake.deliveries.length;
      work();
      const attempts = await Promise.all(fake.deliveries.slice(before).map(({ done }) => done));
      return { acknowledged: attempts.every((attempt) => attempt?.status === 200) };
    };
    const inThread = ({ thread }: RigQuestion): readonly Message[] =>
      fake
        .thread(room.id, roots.get(thread) ?? '')
        .filter(({ app, deletedAt }) => app && deletedAt === undefined);
    const replies = (question: RigQuestion) =>
      inThread(question).filter(({ onlyFor }) => onlyFor === undefined);
    const notes = (person: FakePerson): readonly string[] =>
      fake.messages(room.id).flatMap(({ onlyFor, text }) => (onlyFor === person.id ? [text] : []));
    return {
      settings: {
        botToken: workspace.token,
        signingSecret: fake.app.signingSecret,
        apiUrl: fake.apiUrl,
        streaming,
      },
      say: ({ key, thread, person, text }) =>
        delivered(() => {
          const root = roots.get(thread);
          const message = personOf(person).mentions(room, text, root === undefined ? {} : { thread: root });
          roots.set(thread, root ?? message.ts);
          asked.set(key, message);
        }),
      async repeat({ key }) {
        const message = asked.get(key);
        const again = fake.deliveries.filter(({ payload }) =>
          JSON.stringify(payload).includes(message?.ts ?? key),
        );
        return delivered(() => {
          for (const { kind, payload } of again) fake.events.deliver(kind, payload);
        });
      },
      edit: (question, text) =>
        delivered(() =>
          personOf(question.person).edits(messageOf(question), `<@${workspace.botUser}> ${text}`),
        ),
      remove: (question) => delivered(() => personOf(question.person).deletes(messageOf(question))),
      async echo({ text }) {
        const headers = { authorization: `Bearer ${workspace.token}`, 'content-type': 'application/json' };
        const body = JSON.stringify({ channel: room.id, text: `<@${workspace.botUser}> ${text}` });
        const before = fake.deliveries.length;
        await fetch(`${fake.apiUrl}chat.postMessage`, { method: 'POST', headers, body });
        return delivered(() => fake.deliveries.slice(before));
      },
      showsMarkdown: true,
      seen: (question) => replies(question).map((reply) => JSON.stringify(reply)),
      shown: (question) => replies(question).map(bodyOf),
      told: (question) => {
        const { ts } = messageOf(question);
        const { id } = personOf(question.person);
        return fake
          .messages(room.id)
          .flatMap((each) => (each.onlyFor === id && each.ts > ts ? [each.text] : []));
      },
      live: (question) => {
        const controls = replies(question).flatMap(liveControls);
        const source = JSON.stringify(replies(question));
        // The adapter writes the host behind a label that could mislead.
        const withHost = (label: string, target: string): string => {
          const beside = ` (${URL.parse(target)?.host})`;
          return source.includes(`(${target})${beside}`) || source.includes(`${label}>${beside}`)
            ? label + beside
            : label;
        };
        const of = (kind: string) => controls.filter((each) => each.kind === kind);
        return {
          mentions: of('mention').map(({ target }) => target),
          images: of('image').map(({ target }) => target),
          links: of('link').map(({ target, label = target }) => ({
            label: withHost(label, target),
            address: target,
          })),
        };
      },
      hostile: ['<!here>', `<@${workspace.botUser}>`, '<#C1|general>', '<https://evil.example|bank.example>'],
      // A stream has no Stop button of the app, but one of Slack's own.
      actions: [...(streaming === 'never' ? (['stop'] as const) : []), ...ACTIONS],
      press: (pressed) => press(pressed),
      faults: Object.fromEntries(
        Object.entries(faults).map(([name, fault]) => [
          name,
          () => void fake.plant({ ...fault, method: 'chat.*' }),
        ]),
      ),
      close: () => fake.close(),
    };

    function messageOf({ key }: RigQuestion): Message {
      const message = asked.get(key);
      if (message === undefined) throw new Error(`${key} was never asked.`);
      return message;
    }

    async function press({ question, action, by }: RigPress): Promise<string> {
      const person = personOf(by);
      const before = notes(person).length;
      const controls = replies(question).map(
        (message) => [message, controlOf(message.blocks, controlName(action))] as const,
      );
      const [message, control] = controls.find(([, found]) => found !== undefined) ?? [];
      if (message === undefined || control === undefined)
        throw new Error(`The reply has no control for ${action}.`);
      const up = /"value":"([^"]* up)"/.exec(JSON.stringify(message.blocks))?.[1];
      await person.presses(
        message,
        action === 'feedback' && up !== undefined ? { ...control, value: up } : control,
      ).done;
      const end = Date.now() + NOTE_MS;
      while (notes(person).length === before && Date.now() < end)
        await new Promise((resolve) => setTimeout(resolve, 20));
      return notes(person).slice(before).join('\n');
    }
  };

const controlName = (action: string): string =>
  action === 'suggestion' ? 'reply:suggestion:0' : `reply:${action}`;

export const conform: OpenRig = openSlack('always');
