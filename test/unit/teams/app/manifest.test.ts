import { describe, expect, test } from 'vitest';
import { type ManifestSettings, teamsManifest } from '../../../../adapters/teams/app/package.ts';
import { BridgeError } from '../../../../src/errors.ts';
import { refusals } from './schema.ts';
import { APP_ID, appSettings } from './settings.ts';

const made = (over: Partial<ManifestSettings> = {}) => teamsManifest(appSettings(over));

const text = (length: number) => 'x'.repeat(length);
const prompts = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ title: `Question ${at}`, message: 'How long?' }));

const SIGN_ON_APP = '0d9c1f52-8a1f-4a8e-9d0b-52f6a1c7e2aa';
const singleSignOn = {
  ...{ resource: `api://parley.example.org/botid-${SIGN_ON_APP}`, application: SIGN_ON_APP },
  nameClaims: [],
};

describe('Microsoft’s schema accepts the app', () => {
  test.each<[string, Partial<ManifestSettings>]>([
    ['as it is', {}],
    ['without id and address', { appId: undefined, publicUrl: undefined } as never],
    ['with consent to all messages', { allMessages: true }],
    ['with targeted messages', { targeted: true }],
    ['with Microsoft 365 Copilot', { copilot: true }],
    ['with single sign-on', { singleSignOn }],
    ['with single sign-on and consent', { singleSignOn, allMessages: true }],
    ['with questions', { prompts: prompts(12) }],
    [
      'at every limit',
      {
        name: text(30),
        description: text(80),
        developer: { name: text(32), website: `https://x.example/${text(2_030)}` },
        prompts: [{ title: text(128), message: text(4_000) }],
      },
    ],
  ])('%s', (_, over) => {
    expect(refusals(made(over))).toEqual([]);
  });

  test('and refuses a faulty one', () => {
    expect(refusals({ ...made(), bots: [{ botId: 'x', scopes: ['personal'] }] })).not.toEqual([]);
    expect(refusals({ ...made(), manifestVersion: '1.29' })).not.toEqual([]);
    expect(refusals({ ...made(), name: { short: text(31) } })).not.toEqual([]);
  });
});

test('the manifest contains the bot’s id in every required place', () => {
  expect(made({ allMessages: true })).toMatchObject({
    id: APP_ID,
    bots: [{ botId: APP_ID, supportsFiles: true, scopes: ['personal', 'team', 'groupChat'] }],
    webApplicationInfo: { id: APP_ID },
  });
});

test('the manifest names the app and the resource of single sign-on, and only for it or for consent', () => {
  const { resource, application: id } = singleSignOn;
  for (const allMessages of [false, true])
    expect(made({ singleSignOn, allMessages })).toMatchObject({ webApplicationInfo: { id, resource } });
  expect(made({ singleSignOn })).not.toHaveProperty('authorization');
  expect(made()).not.toHaveProperty('webApplicationInfo');
});

test('a resource of another app is a fault with its cure', () => {
  const wrong = { ...singleSignOn, application: APP_ID };
  expect(() => made({ singleSignOn: wrong })).toThrow(`it ends with this id, such as api://botid-${APP_ID}`);
});

test('the manifest contains the public address for links and people', () => {
  expect(made({ publicUrl: 'https://parley.example.org:8443/under/here' })).toMatchObject({
    validDomains: ['parley.example.org:8443'],
    developer: {
      websiteUrl: 'https://parley.example.org:8443/under/here',
      privacyUrl: 'https://parley.example.org:8443/under/here',
    },
  });
});

test('the manifest contains the developer', () => {
  const developer = {
    name: 'Acme',
    website: 'https://acme.example',
    privacy: 'https://acme.example/privacy',
    terms: 'https://acme.example/terms',
  };
  expect(made({ developer })).toMatchObject({
    developer: {
      name: 'Acme',
      websiteUrl: 'https://acme.example',
      privacyUrl: 'https://acme.example/privacy',
      termsOfUseUrl: 'https://acme.example/terms',
    },
  });
});

describe('consent to all messages', () => {
  test('is requested only if it is used, and is then described', () => {
    const without = JSON.stringify(made());
    expect(without).not.toMatch(/Read\.Group|webApplicationInfo|authorization|every message/);
    expect(made({ allMessages: true })).toMatchObject({
      description: { full: expect.stringContaining('reads every message') },
      authorization: {
        permissions: {
          resourceSpecific: [
            { name: 'ChannelMessage.Read.Group', type: 'Application' },
            { name: 'ChatMessage.Read.Chat', type: 'Application' },
          ],
        },
      },
    });
  });
});

test('Microsoft 365 Copilot offers the app only if this is set', () => {
  expect(made()).not.toHaveProperty('copilotAgents');
  expect(made({ copilot: true })).toMatchObject({
    bots: [{ scopes: ['personal', 'team', 'groupChat', 'copilot'] }],
    copilotAgents: { customEngineAgents: [{ id: APP_ID, type: 'bot' }] },
  });
});

test('the menu of each message has a command, whose form the bridge makes', () => {
  expect(made()).toMatchObject({
    composeExtensions: [
      {
        botId: APP_ID,
        commands: [{ id: 'askAbout', type: 'action', context: ['message'], fetchTask: true }],
      },
    ],
  });
});

test('the app may be added to private and shared channels, which schema 1.25 and later require for teams', () => {
  expect(made()).toMatchObject({ supportsChannelFeatures: 'tier1' });
});

interface Lists {
  readonly bots: readonly [
    { readonly commandLists: readonly { scopes: string[]; triggers?: string[]; commands: object[] }[] },
  ];
}

describe('commands', () => {
  const lists = (over: Partial<ManifestSettings> = {}) => (made(over) as Lists).bots[0].commandLists;

  test('are offered in each scope, at most twelve', () => {
    expect(lists({ prompts: prompts(12) }).map(({ scopes, commands }) => [scopes, commands.length])).toEqual([
      [['personal'], 12],
      [['team'], 12],
      [['groupChat'], 12],
    ]);
  });

  test('of follow-ups are offered where the app receives every message, and nowhere else', () => {
    const titles = (allMessages: boolean) =>
      lists({ allMessages }).map(({ scopes: [scope], commands }) => {
        const offered = JSON.stringify(commands);
        return [scope, /"instead"/.test(offered), /"listen"/.test(offered), /"quiet"/.test(offered)];
      });
    const none = [true, false, false];
    expect(titles(false)).toEqual(['personal', 'team', 'groupChat'].map((scope) => [scope, ...none]));
    expect(titles(true)).toEqual([
      ['personal', ...none],
      ...['team', 'groupChat'].map((scope) => [scope, true, true, true]),
    ]);
    expect(lists({ allMessages: true }).map(({ commands }) => commands.length)).toEqual([12, 12, 12]);
  });

  test('are offered after a slash too if people can send targeted messages', () => {
    expect(made()).not.toHaveProperty('bots.0.supportsTargetedMessages');
    expect(made({ targeted: true })).toHaveProperty('bots.0.supportsTargetedMessages', true);
    const triggers = (targeted: boolean) => lists({ targeted }).map((each) => each.triggers);
    expect(triggers(false)).toEqual([undefined, undefined, undefined]);
    expect(triggers(true)).toEqual([undefined, ['mention', 'slash'], ['mention', 'slash']]);
  });

  test('are commands of the bridge', async () => {
    const { parseCommand } = await import('../../../../src/core/commands/reading.ts');
    const titles = lists({ allMessages: true }).flatMap(({ commands }) =>
      commands.map((each) => (each as { title: string }).title),
    );
    const said = titles.map((title) => (['use', 'search'].includes(title) ? `${title} this` : title));
    expect(said.filter((each) => parseCommand(each) === undefined)).toEqual([]);
  });

  test('follow the operator’s questions in personal chats', () => {
    const [personal, team] = lists({ prompts: [{ title: 'Passes', message: 'How long is a pass valid?' }] });
    expect(personal?.commands.slice(0, 2)).toEqual([
      { title: 'Passes', type: 'prompt', prompt: 'How long is a pass valid?' },
      { title: 'help', description: 'List the commands' },
    ]);
    expect(JSON.stringify(team)).not.toContain('Passes');
  });
});

describe('a fault for which Teams would refuse the app is reported with its cure', () => {
  test.each<[Partial<ManifestSettings>, RegExp]>([
    [
      { publicUrl: 'http://localhost:3000' },
      /server\.publicUrl is "http:\/\/localhost:3000"\. Give an https/,
    ],
    [{ version: '1.0' }, /the version is "1\.0"\. Give three numbers/],
    [{ version: '1.0.0-beta' }, /three numbers/],
  ])('%j', (over, said) => {
    expect(() => made(over)).toThrow(said);
  });

  test('all faults are reported at once, as a fault of the configuration', () => {
    const thrown = catchOf(() =>
      made({
        singleSignOn: { ...singleSignOn, application: APP_ID },
        version: 'x',
        publicUrl: 'http://a.example',
      }),
    );
    expect(thrown).toBeInstanceOf(BridgeError);
    expect((thrown as BridgeError).code).toBe('config-invalid');
    expect((thrown as BridgeError).message.split('\n')).toHaveLength(4);
  });
});

function catchOf(work: () => unknown): unknown {
  try {
    return work();
  } catch (thrown) {
    return thrown;
  }
}
