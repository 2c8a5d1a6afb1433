/** Tests that the fake Teams delivers to an app, and lets people do with it, only what its manifest asks for. */

import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { checkedIn, readManifest } from '../../fakes/teams/manifest.ts';
import { demoApp } from '../../fakes/teams/world.ts';
import { appPackage } from '../../fakes/teams-app.ts';
import { fakeTeams, send, smallBot } from './wire.ts';

/** Returns a package with a changed manifest. */
function changed(appId: string, change: (manifest: Record<string, unknown>) => void): Uint8Array {
  const files = unzipSync(appPackage(appId, { allMessages: true, targeted: true }));
  const manifest = JSON.parse(strFromU8(files['manifest.json'] ?? new Uint8Array()));
  change(manifest);
  return zipSync({ ...files, 'manifest.json': strToU8(JSON.stringify(manifest)) });
}

type Bot = { scopes: string[]; supportsFiles: boolean; isNotificationOnly: boolean; commandLists: unknown };
const botOf = (manifest: Record<string, unknown>) => (manifest.bots as [Bot])[0];

async function listening(change: (manifest: Record<string, unknown>) => void = () => undefined) {
  const bot = await smallBot();
  const fake = await fakeTeams({ deliverTo: bot.url, limits: { off: true } });
  fake.upload(changed(fake.app.id, change));
  const tenant = fake.tenant();
  return { bot, fake, tenant, person: tenant.person() };
}

describe('an app without', () => {
  test('a scope is in no conversation of this kind', async () => {
    const { fake, tenant, person } = await listening((manifest) => {
      botOf(manifest).scopes = ['personal', 'team'];
    });
    const chat = tenant.chat({ members: [person] });
    expect(person.mentions(chat, 'Hello').delivery).toBeUndefined();
    expect(() => person.installs(chat)).toThrow('does not offer the app');
    expect(await send(fake, chat, {})).toMatchObject({ status: 403, code: 'BotNotInConversationRoster' });
    expect(person.mentions(tenant.team().channel(), 'Hello').delivery).toBeDefined();
  });

  test('supportsChannelFeatures cannot be uploaded, and an old one is in no private or shared channel', async () => {
    const without = (version: string) => (manifest: Record<string, unknown>) => {
      delete manifest.supportsChannelFeatures;
      manifest.manifestVersion = version;
    };
    await expect(listening(without('1.30'))).rejects.toThrow("does not include 'supportsChannelFeatures'");
    const { tenant, person } = await listening(without('1.24'));
    const team = tenant.team();
    for (const type of ['private', 'shared'] as const)
      expect(() => person.installs(team.channel({ type }))).toThrow('does not offer the app');
  });

  test('supportsTargetedMessages gets none', async () => {
    const { tenant, person } = await listening((manifest) => {
      Object.assign(botOf(manifest), { supportsTargetedMessages: false });
    });
    const chat = tenant.chat({ members: [person] });
    expect(() => person.says(chat, 'For you', { targeted: true })).toThrow('targeted');
  });

  test('supportsFiles gets no files', async () => {
    const { person } = await listening((manifest) => {
      botOf(manifest).supportsFiles = false;
    });
    const { delivery } = person.says(person.dm(), 'Read', { files: [{ name: 'plan.txt' }] });
    expect(delivery?.activity.attachments).toMatchObject([{ contentType: 'text/html' }]);
  });

  test('a resource-specific permission gets no other messages, although the owners consent', async () => {
    const { tenant, person } = await listening((manifest) => {
      delete manifest.authorization;
    });
    const channel = tenant.team({ consents: ['ChannelMessage.Read.Group'] }).channel();
    expect(person.says(channel, 'Hello').delivery).toBeUndefined();
    expect(person.mentions(channel, 'Hello').delivery).toBeDefined();
  });

  test('composeExtensions has no command in the menu of a message', async () => {
    const { person } = await listening((manifest) => {
      delete manifest.composeExtensions;
    });
    const { message } = person.says(person.dm(), 'Hello');
    expect(() => person.opens(message, 'askAbout')).toThrow('no command askAbout');
  });

  test('isNotificationOnly: false gets no messages', async () => {
    const { person } = await listening((manifest) => {
      botOf(manifest).isNotificationOnly = true;
    });
    expect(person.says(person.dm(), 'Hello').delivery).toBeUndefined();
  });
});

test('an app is added to a private or shared channel separately, and gets an event of the channel only', async () => {
  const { bot, fake, tenant, person } = await listening();
  const team = tenant.team();
  for (const type of ['private', 'shared'] as const) {
    const channel = team.channel({ type, name: 'secret', members: [person] });
    expect(person.mentions(channel, 'Hello').delivery).toBeUndefined();
    expect(await send(fake, channel, {})).toMatchObject({ code: 'BotNotInConversationRoster' });
    const [added, ...others] = person.installs(channel);
    await added?.done;
    expect(others).toEqual([]);
    expect(bot.received.at(-1)?.body).toMatchObject({
      type: 'conversationUpdate',
      membersAdded: [{ id: fake.app.botId }],
      channelData: { eventType: 'channelMemberAdded', channel: { id: channel.id, type } },
    });
    expect(person.mentions(channel, 'Hello').delivery).toBeDefined();
    await person.removes(channel)[0]?.done;
    expect(bot.received.at(-1)?.body).toMatchObject({ channelData: { eventType: 'channelMemberRemoved' } });
    expect(team.installed).toBe(true);
    expect(person.mentions(channel, 'Hello').delivery).toBeUndefined();
  }
});

test('commands are offered after a slash only with targeted messages, and never in personal chats', () => {
  const [with_, without] = [true, false].map((targeted) =>
    readManifest(
      JSON.parse(
        strFromU8(unzipSync(appPackage(demoApp().id, { targeted }))['manifest.json'] ?? new Uint8Array()),
      ),
    ),
  );
  for (const kind of ['personal', 'groupChat', 'channel'] as const) {
    expect(with_?.commands({ kind }, 'mention')).toContain('help');
    expect(without?.commands({ kind }, 'slash')).toEqual([]);
    expect(with_?.commands({ kind }, 'slash').includes('help')).toBe(kind !== 'personal');
  }
});

test('the manifest in the repository is the one that a fake reads', () => {
  expect(readManifest(checkedIn())).toMatchObject({ targeted: false, files: true, listens: true });
});
