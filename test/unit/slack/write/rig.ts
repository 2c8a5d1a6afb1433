/** A reply on the fake Slack: its turn, its writer, and its visible messages. */

import { expect } from 'vitest';
import { createCaller, createSender } from '../../../../adapters/slack/api/sender.ts';
import type { Workspaces } from '../../../../adapters/slack/api/workspace.ts';
import type { SlackConfig } from '../../../../adapters/slack/config.ts';
import type { PrivatePlace } from '../../../../adapters/slack/private-places.ts';
import { createWriter, type WriterDeps } from '../../../../adapters/slack/write/index.ts';
import { fragmentLink } from '../../../../src/kit/fragment-link.ts';
import { createStreaming } from '../../../../src/kit/streaming.ts';
import { BridgeError, type ReplyWriter, type ThreadRef, type Turn, turnId } from '../../../../src/kit.ts';
import { correctionsOf } from '../../../fakes/corrections.ts';
import { PNG } from '../../../fakes/pixel.ts';
import { quiet } from '../../../fakes/quiet.ts';
import { agentCards, message as messageWith, turn as turnWith } from '../../../fakes/samples.ts';
import {
  type FakeSlack,
  type FakeSlackOptions,
  type Message,
  startFakeSlack,
} from '../../../fakes/slack/index.ts';

export interface Rig {
  readonly fake: FakeSlack;
  /** Asks a new question in a separate thread. */
  ask(options?: { readonly attempt?: number }): Turn;
  writer(turn: Turn, streamsIn?: SlackConfig['streaming']): ReplyWriter;
  /** Presses Slack's own Stop button as a person. */
  stop(turn: Turn): void;
  /** Deletes the app's messages in the turn's thread as a person, all of them or all from the given index on. */
  remove(turn: Turn, from?: number): void;
  /** Deletes the question's message as a person. */
  removeQuestion(turn: Turn): void;
  /** The app's messages in the turn's thread, oldest first. */
  messages(turn: Turn): readonly Message[];
  /** The text of each message, without the blocks below it. */
  texts(turn: Turn): readonly string[];
  /** `others` is true if other people may have different platform rights from those with which the answer was made. */
  readonly rights: { others: boolean };
  /** `customizes` is true if the app may post under other names. */
  readonly installed: { customizes: boolean };
  /** Forgets where Slack refused streams. */
  forget(): void;
  close(): Promise<void>;
}

interface RigOptions extends FakeSlackOptions, Pick<WriterDeps, 'stopped' | 'closed'> {
  readonly places?: (thread: ThreadRef, fake: FakeSlack) => PrivatePlace | undefined;
}

export async function openRig(options: RigOptions = {}): Promise<Rig> {
  const fake = await startFakeSlack({ limits: { off: true }, processingMs: 0, ...options });
  const workspace = fake.workspace();
  const { id: tenant, token, botUser, botId } = workspace;
  const installed = { customizes: false };
  const workspaces: Workspaces = {
    find: async () => undefined,
    ofTenant: async () => ({
      tenant,
      token,
      botUser,
      botId,
      ...(installed.customizes && { customizes: true }),
    }),
    disable: () => undefined,
    remove: async () => [],
  };
  const channel = workspace.channel();
  const person = workspace.person();
  const rights = { others: true };
  const sender = createSender(createCaller(fake.apiUrl, quiet, 20_000), workspaces);
  const deps: WriterDeps = {
    sender,
    permitted: sender,
    workspaces,
    host: {
      agents: () => agentCards,
      corrections: correctionsOf(),
      otherRights: () => rights.others,
      sourceLink: (source) => fragmentLink(source),
      async openMedia({ id }) {
        if (id.startsWith('lost')) throw new BridgeError('media-unavailable', 'It is lost.');
        return { type: 'image/png', bytes: PNG };
      },
    },
    places: { find: async (thread) => options.places?.(thread, fake) },
    apiUrl: fake.apiUrl,
    footer: true,
    ...(options.stopped && { stopped: options.stopped }),
    ...(options.closed && { closed: options.closed }),
    streamsIn: 'always',
    streaming: createStreaming(true, fake.world.clock),
  };
  let { streaming } = deps;
  let asked = 0;
  const messages = (turn: Turn) =>
    fake
      .thread(channel.id, turn.message.thread.key)
      .filter(({ app, deletedAt }) => app && deletedAt === undefined);
  return {
    fake,
    rights,
    installed,
    ask({ attempt = 1 } = {}) {
      asked += 1;
      const root = person.mentions(channel, `Question ${asked}`);
      const thread = { channel: 'slack', tenant, room: channel.id, key: root.ts, kind: 'room' } as const;
      const sender = { id: person.id, name: person.name, home: tenant, standing: 'member' } as const;
      const question = messageWith({
        id: `${channel.id}/${root.ts}`,
        thread,
        sender,
        text: `Question ${asked}`,
      });
      return turnWith({ id: turnId(`turn-${asked}`), message: question, attempt });
    },
    writer: (turn, streamsIn = 'always') => createWriter(turn, { ...deps, streamsIn, streaming }),
    forget() {
      streaming = createStreaming(true, fake.world.clock);
    },
    stop: ({ message: { thread } }) => void person.stops(channel, thread.key),
    remove(turn, from = 0) {
      for (const message of messages(turn).slice(from)) person.deletes(message);
    },
    removeQuestion({ message: { thread } }) {
      for (const message of fake.messages(channel.id)) if (message.ts === thread.key) person.deletes(message);
    },
    messages,
    texts: (turn) => messages(turn).map(bodyOf),
    async close() {
      await fake.close();
      expect(fake.log.violations).toEqual([]);
    },
  };
}

/** Returns the Markdown of a message, from its stream and its blocks, without the list of sources. */
export function bodyOf({ markdown = '', blocks, text }: Message): string {
  const said = blocks.filter(({ type }) => type === 'markdown').map((block) => String(block.text));
  const shown = blocks.length === 0 && markdown === '' ? [text] : [markdown, ...said];
  return shown.filter((each) => !each.startsWith('**Sources**')).join('');
}
