import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  demoApp,
  type FakePerson,
  type FakeSlack,
  type Message,
  startFakeSlack,
  visibleText,
} from '../fakes/slack/index.ts';
import { controlOf } from '../unit/slack/controls.ts';
import { bothVersions, eventually, QUESTION, SLOW } from './versions.ts';

let fake: FakeSlack;
let room: string;
let engineer: FakePerson;

const versions = bothVersions(
  async () => {
    fake = await startFakeSlack();
    const workspace = fake.workspace();
    room = workspace.channel({ name: 'field' }).id;
    engineer = workspace.person({ name: 'Engineer' });
    return {
      SLACK_API_URL: fake.apiUrl,
      SLACK_BOT_TOKEN: workspace.token,
      SLACK_SIGNING_SECRET: demoApp.signingSecret,
    };
  },
  ({ url }) => fake.deliverTo(`${url}/slack/events`),
);
beforeAll(() => void engineer.says(room, 'Good morning.'));
afterAll(() => fake?.close());

const replies = (place: string, ts: string): readonly Message[] =>
  fake.thread(place, ts).filter(({ app, onlyFor }) => app && onlyFor === undefined);
const offers = (message: Message | undefined, kind: string) => controlOf(message?.blocks, kind);

async function finished(place: string, ts: string): Promise<Message> {
  await eventually(() => offers(replies(place, ts).at(-1), 'reply:regenerate')).toBeDefined();
  return newest(place, ts);
}

function newest(place: string, ts: string): Message {
  const reply = replies(place, ts).at(-1);
  if (reply === undefined) throw new Error('There is no reply.');
  return reply;
}

function press(message: Message, kind: string): void {
  const control = offers(message, kind);
  if (control === undefined) throw new Error(`The message has no ${kind}: ${JSON.stringify(message.blocks)}`);
  engineer.presses(message, control);
}

const viewOf = () => JSON.stringify(engineer.views().at(-1)?.view ?? {});

test('killed replies of Slack, edited and streamed, continue, and the buttons of a finished one work', async () => {
  const asked = engineer.mentions(room, QUESTION).ts;
  const ended = await finished(room, asked);
  const own = engineer.dm().id;
  const places = [
    [room, engineer.mentions(room, SLOW).ts],
    [own, engineer.says(engineer.dm(), SLOW).ts],
  ] as const;
  const grown: Message[] = [];
  for (const [place, ts] of places) {
    await eventually(() => replies(place, ts).map(visibleText).join()).toContain('tell me every');
    grown.push(newest(place, ts));
  }
  await versions.takeOver();

  for (const [at, [place, ts]] of places.entries()) {
    await eventually(() => offers(replies(place, ts).at(-1), 'reply:retry')).toBeDefined();
    expect(replies(place, ts).map((each) => each.ts)).toEqual([grown[at]?.ts]);
    expect(visibleText(newest(place, ts))).toContain('tell me every');
    press(newest(place, ts), 'reply:retry');
    expect((await finished(place, ts)).ts).toBe(grown[at]?.ts);
    expect(visibleText(newest(place, ts))).toContain('take your time with it');
    expect(replies(place, ts)).toHaveLength(1);
  }

  press(ended, 'reply:sources');
  await eventually(viewOf).toContain('Passage 1 of');
  press(ended, 'reply:regenerate');
  await eventually(() => JSON.stringify(newest(room, asked).blocks)).toContain('Version 2 of 2');
  press(await finished(room, asked), 'reply:show');
  await eventually(() => JSON.stringify(newest(room, asked).blocks)).toContain('Version 1 of 2');
  expect(replies(room, asked).map((each) => each.ts)).toEqual([ended.ts]);
  const down = /"value":"([^"]* down)"/.exec(JSON.stringify(ended.blocks))?.[1] ?? '';
  engineer.presses(ended, { actionId: 'reply:feedback', value: down });
  await eventually(viewOf).toContain('What was wrong?');
  expect(fake.log.violations).toEqual([]);
});
