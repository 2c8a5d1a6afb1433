/**
 * Teams as a channel that `parley conform` can check, with the fake Teams as its chat:
 * `parley conform test/conform/teams.ts`.
 */

import markdownIt from 'markdown-it';
import { teams } from '../../adapters/teams/channel.ts';
import type { Channel, Delivered, Live, OpenRig, RigPress, RigQuestion } from '../../src/kit/package.ts';
import type { Delivery, FakePerson, Fault, Message } from '../fakes/teams/index.ts';
import { startFakeTeams } from '../fakes/teams/index.ts';
import { appPackage } from '../fakes/teams-app.ts';

export const channel = (): Channel => teams;

const faults = {
  lost: { kind: 'refuse' },
  hidden: { kind: 'reset' },
  hang: { kind: 'hang' },
  rate: { kind: 'rate', retryAfter: 1 },
  busy: { kind: 'status', status: 503 },
  invalid: { kind: 'status', status: 400 },
  gone: { kind: 'status', status: 403, code: 'BotNotInConversationRoster' },
} as const satisfies Record<string, Fault>;

/** The titles of the buttons; a suggestion is its own title. */
const titles: Readonly<Partial<Record<RigPress['action'], string>>> = {
  stop: 'Stop',
  retry: 'Retry',
  regenerate: 'Regenerate',
  show: '‹',
  agent: 'Ask',
  mine: 'Ask as me',
};

/** @param reads true if the app may read messages in channels, so that it finds its own messages */
export const openTeams =
  (reads: boolean): OpenRig =>
  async (_kit, { url }) => {
    const fake = await startFakeTeams({
      ...{ limits: { off: true }, redelivery: { times: 0 }, textBesideCards: 'split' },
      deliverTo: `${url}/api/messages`,
    });
    fake.upload(appPackage(fake.app.id, { allMessages: reads }));
    const tenant = fake.tenant();
    const room = tenant.team({ consents: reads ? ['ChannelMessage.Read.Group'] : [] }).channel();
    const [password = ''] = fake.app.secrets;
    const people = new Map<string, FakePerson>();
    const roots = new Map<string, string>();
    const asked = new Map<string, { readonly message: Message; readonly delivery: Delivery | undefined }>();
    const personOf = (name: string): FakePerson => {
      const person = people.get(name) ?? tenant.person({ name });
      if (!people.has(name)) person.says(room, 'Hello', { silent: true });
      people.set(name, person);
      // The app needs a personal chat for answers that only one person may see.
      person.dm();
      return person;
    };
    const answered = async (delivery: Delivery | undefined): Promise<Delivered> => {
      const attempt = await delivery?.done;
      return {
        acknowledged: attempt === undefined ? undefined : attempt.status >= 200 && attempt.status < 300,
      };
    };
    const askedOf = ({ key }: RigQuestion) => {
      const found = asked.get(key);
      if (found === undefined) throw new Error(`${key} was never asked.`);
      return found;
    };
    const replies = ({ thread }: RigQuestion): readonly Message[] =>
      fake
        .messages(room)
        .filter(
          ({ person, deletedAt, onlyFor }) =>
            person === undefined && deletedAt === undefined && onlyFor === undefined,
        )
        .filter(({ root }) => root === roots.get(thread));
    return {
      settings: {
        appId: fake.app.id,
        tenant: tenant.id,
        password,
        services: fake.services,
        allMessages: reads,
      },
      ...(!reads && { blind: true as const }),
      async say({ key, thread, person, text }) {
        const root = roots.get(thread);
        const { message, delivery } = personOf(person).mentions(
          room,
          text,
          root === undefined ? {} : { thread: root },
        );
        roots.set(thread, root ?? message.id);
        asked.set(key, { message, delivery });
        return answered(delivery);
      },
      async repeat(question) {
        const { delivery } = askedOf(question);
        return answered(delivery && fake.events.again(delivery));
      },
      edit: async (question, text) =>
        answered(
          personOf(question.person).edits(askedOf(question).message, `<at>${fake.app.name}</at> ${text}`),
        ),
      remove: async (question) => answered(personOf(question.person).deletes(askedOf(question).message)),
      showsMarkdown: true,
      seen: (question) => replies(question).map((reply) => JSON.stringify(reply)),
      shown: (question) =>
        replies(question).flatMap(({ shown, stream }) => (shown.text === '' && !stream ? [] : [shown.text])),
      told: (question) => replies(question).map(({ shown }) => shown.text),
      live: (question) => liveOf(replies(question)),
      hostile: [
        `<at>${fake.app.name}</at>`,
        '<at>ada</at>',
        '[Ada](https://teams.microsoft.com/l/user/8:ada)',
      ],
      actions: ['stop', 'retry', 'regenerate', 'suggestion', 'agent', 'mine', 'feedback'],
      async press({ question, action, detail, by }) {
        const person = personOf(by);
        const messages = replies(question);
        const [said] = messages;
        // The fake makes the ids of presses from the time. Two presses in one millisecond would have the same id.
        await new Promise((resolve) => setTimeout(resolve, 2));
        if (action === 'feedback' && said !== undefined)
          return JSON.stringify(await person.rates(said, { reaction: 'like' }).form) ?? '';
        const title = titles[action] ?? detail;
        const message = messages.find((each) => person.offers(each).includes(title));
        if (message === undefined) throw new Error(`The reply has no button ${title}.`);
        const { answer } = person.presses(message, title, action === 'agent' ? { agent: detail } : {});
        return JSON.stringify((await answer)?.value) ?? '';
      },
      faults: Object.fromEntries(
        Object.entries(faults).map(([name, fault]) => [name, () => void fake.plant(fault)]),
      ),
      close: () => fake.close(),
    };
  };

export const conform: OpenRig = openTeams(true);

const markdown = markdownIt();

/** Reads the texts as Teams does, as Markdown. A mention is an entity of the activity, never text. */
function liveOf(messages: readonly Message[]): Live {
  const entities = messages.flatMap(({ shown }) => shown.entities);
  const mentions = entities.filter(({ type }) => type === 'mention').map((each) => JSON.stringify(each));
  const texts = messages.flatMap(({ shown }) => [
    shown.text,
    ...shown.attachments.flatMap((each) => textsIn(each.content)),
  ]);
  const tokens = texts.flatMap((text) => markdown.parse(text, {}).map(({ children }) => children ?? []));
  const images = tokens
    .flat()
    .flatMap((token) => (token.type === 'image' ? [String(token.attrGet('src'))] : []));
  const links = tokens.flatMap((line) =>
    line.flatMap((token, at) => {
      if (token.type !== 'link_open') return [];
      const end = line.findIndex(({ type }, later) => later > at && type === 'link_close');
      const label = line
        .slice(at, end)
        .map(({ content }) => content)
        .join('');
      const beside = /^ \([^)]*\)/.exec(line[end + 1]?.content ?? '')?.[0] ?? '';
      return [{ label: label + beside, address: String(token.attrGet('href')) }];
    }),
  );
  return { mentions, images, links };
}

/** Returns those texts of a card that Teams shows as Markdown. */
function textsIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(textsIn);
  if (typeof value !== 'object' || value === null) return [];
  const own = 'type' in value && value.type === 'TextBlock' && 'text' in value ? [String(value.text)] : [];
  return [...own, ...Object.values(value).flatMap(textsIn)];
}
