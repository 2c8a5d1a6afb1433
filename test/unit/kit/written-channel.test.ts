/** Runs the contract tests of all channels against the example channel of docs/channels.md. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from 'vitest';
import * as kit from '../../../src/kit/argument.ts';
import { turnId } from '../../../src/kit.ts';
import { channelContract } from '../../contract/channel-contract.ts';
import { startChat, TOKEN, type Writer, writeMyChat } from '../../fakes/outside/my-chat.ts';
import { turn } from '../../fakes/samples.ts';

let turns = 0;

describe.each<Writer>(['own', 'shorter'])('%s writer', (writer) => {
  channelContract('The channel of docs/channels.md', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'parley-written-'));
    const chat = await startChat();
    const module = (await import(writeMyChat(folder, writer))) as { channel(given: typeof kit): kit.Channel };
    const configured = module.channel(kit).schema({}).parse({ url: chat.url, token: TOKEN });
    const adapter = await configured.create({} as kit.Shared);
    return {
      ask: async () => turn({ id: turnId(`turn-${++turns}`) }),
      writer: adapter.writer,
      shown: async ({ id }) => [...chat.messages].flatMap(([shown, text]) => (shown === id ? [text] : [])),
      expected: ({ text, state, sources }) =>
        [
          kit.plainText(text) || (state === 'thinking' ? 'Thinking…' : ''),
          ...sources.map(({ title }, at) => `[${at + 1}] ${title}`),
        ].join('\n'),
      async close() {
        await chat.close();
        await rm(folder, { recursive: true });
      },
    };
  });
});
