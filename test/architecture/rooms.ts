/** The rooms (parts of the project) and what each may import, as in the table of docs/architecture.md. */

export interface Room {
  readonly name: string;
  readonly holds: (path: string) => boolean;
  /** Names of rooms, `node:*` modules and packages; `*` stands for every package, `node:` for every built-in module. */
  readonly mayImport: readonly string[];
}

const under = (folder: string) => (path: string) => path.startsWith(folder);
const only =
  (...files: readonly string[]) =>
  (path: string) =>
    files.includes(path);

/**
 * The rooms within the core, from the basic types to the turns. Within the core, a room may import only rooms above it
 * in this list.
 */
const core: readonly Room[] = [
  { name: 'core', holds: (path) => /^src\/core\/[^/]+$/.test(path), mayImport: ['errors'] },
  coreRoom('agents', []),
  coreRoom('stores', ['agents']),
  coreRoom('access', ['stores']),
  coreRoom('corrections', ['access', 'agents', 'stores']),
  coreRoom('channel', ['access', 'agents', 'corrections', 'stores']),
  coreRoom('pacing', ['channel']),
  coreRoom('commands', ['access', 'agents', 'stores']),
  coreRoom('intake', ['channel', 'stores', 'commands']),
  coreRoom('live-reply', ['access', 'agents', 'stores', 'channel', 'pacing']),
  coreRoom('answer', ['access', 'agents', 'stores', 'commands', 'live-reply']),
  coreRoom('turns', ['agents', 'stores', 'channel', 'live-reply', 'answer']),
];

function coreRoom(name: string, others: readonly string[]): Room {
  const mayImport = ['core', 'errors', ...others.map((other) => `core/${other}`)];
  return { name: `core/${name}`, holds: under(`src/core/${name}/`), mayImport };
}

export const rooms: readonly Room[] = [
  { name: 'errors', holds: only('src/errors.ts'), mayImport: [] },
  { name: 'sqlite', holds: only('src/sqlite.ts'), mayImport: ['errors', 'node:'] },
  { name: 'secret', holds: only('src/secret.ts'), mayImport: [] },
  { name: 'outgoing', holds: only('src/outgoing.ts'), mayImport: ['errors', 'node:', 'undici'] },
  ...core,
  { name: 'clock', holds: only('src/clock.ts'), mayImport: ['core', 'node:timers/promises'] },
  {
    name: 'reply/markdown',
    holds: under('src/reply/markdown/'),
    mayImport: ['core', 'errors', 'markdown-it'],
  },
  {
    name: 'reply',
    holds: (path) => /^src\/reply\/[^/]+$/.test(path),
    mayImport: ['core', 'core/channel', 'reply/markdown'],
  },
  {
    name: 'reply/ladder',
    holds: under('src/reply/ladder/'),
    mayImport: ['core', 'core/channel', 'reply', 'reply/markdown', 'lru-cache'],
  },
  {
    name: 'reply/actions',
    holds: under('src/reply/actions/'),
    mayImport: ['core', 'core/channel', 'errors'],
  },
  {
    name: 'kit',
    holds: (path) => path === 'src/kit.ts' || path.startsWith('src/kit/'),
    mayImport: [
      'core',
      'core/agents',
      'core/stores',
      'core/channel',
      'core/commands',
      'reply',
      'reply/markdown',
      'reply/ladder',
      'reply/actions',
      'settings',
      'secret',
      'errors',
      'clock',
      'outgoing',
      'sqlite',
      'htmlparser2',
      'node:async_hooks',
      'node:crypto',
      'node:http',
      'node:net',
      'lru-cache',
      'zod',
    ],
  },
  {
    name: 'platform',
    holds: under('src/platform/'),
    mayImport: ['core', 'core/agents', 'core/stores', 'secret', 'errors', 'outgoing', 'node:', '*'],
  },
  {
    name: 'agents',
    holds: under('src/agents/'),
    mayImport: [
      'core',
      'core/agents',
      'platform',
      'secret',
      'errors',
      'node:crypto',
      'lru-cache',
      'openai',
      'zod',
    ],
  },
  {
    name: 'store',
    holds: under('src/store/'),
    mayImport: ['core', 'core/agents', 'core/stores', 'errors', 'sqlite', 'node:', 'keyv', 'pg'],
  },
  {
    name: 'observe',
    holds: under('src/observe/'),
    mayImport: [
      'core',
      'core/stores',
      'secret',
      'errors',
      'node:crypto',
      'node:util',
      '@opentelemetry/api',
      'lru-cache',
      'pino',
      'prom-client',
    ],
  },
  { name: 'settings', holds: under('src/settings/'), mayImport: ['secret', 'errors', 'node:', 'zod'] },
  {
    name: 'config',
    holds: under('src/config/'),
    mayImport: ['core/access', 'core/agents', 'kit', 'settings', 'secret', 'errors', 'node:', 'zod', 'yaml'],
  },
  {
    name: 'web',
    holds: under('src/web/'),
    mayImport: [
      'core',
      'core/agents',
      'core/channel',
      'reply/markdown',
      'kit',
      'observe',
      'errors',
      'node:',
      'express',
      'zod',
    ],
  },
  { name: 'sandbox', holds: under('sandbox/'), mayImport: ['node:', '*'] },
  {
    name: 'bridge',
    holds: (path) => path === 'src/bridge.ts' || path.startsWith('src/bridge/'),
    mayImport: [
      ...core.map(({ name }) => name),
      'secret',
      'errors',
      'clock',
      'kit',
      'reply/markdown',
      'platform',
      'agents',
      'store',
      'observe',
      'config',
      'settings',
      'web',
      'node:',
    ],
  },
  {
    name: 'conform',
    holds: under('src/conform/'),
    mayImport: ['core', 'core/channel', 'core/pacing', 'errors', 'clock', 'kit', 'node:'],
  },
  {
    name: 'cli',
    holds: under('src/cli/'),
    mayImport: [
      'agents',
      'bridge',
      'config',
      'conform',
      'settings',
      'platform',
      'core',
      'core/access',
      'core/agents',
      'core/stores',
      'secret',
      'errors',
      'clock',
      'outgoing',
      'kit',
      'observe',
      'store',
      'web',
      'node:',
      '@opentelemetry/api',
      '@opentelemetry/context-async-hooks',
      '@opentelemetry/exporter-trace-otlp-proto',
      '@opentelemetry/resources',
      '@opentelemetry/sdk-trace',
      'commander',
      'csv-parse',
      'semver',
      'string-width',
      'yaml',
      'zod',
    ],
  },
  { name: 'main', holds: only('src/main.ts'), mayImport: ['cli', 'registry', 'adapters/terminal'] },
  {
    name: 'embed',
    holds: only('src/embed.ts'),
    mayImport: [
      'cli',
      'registry',
      'adapters/console',
      'adapters/slack',
      'adapters/teams',
      'agents',
      'bridge',
      'config',
      'errors',
      'kit',
      'observe',
      'web',
      'zod',
    ],
  },
  { name: 'client', holds: only('src/client.ts'), mayImport: ['clock', 'errors', 'platform', 'secret'] },
  {
    name: 'testing',
    holds: only('src/testing.ts'),
    mayImport: ['cli', 'config', 'conform', 'kit', 'sandbox'],
  },
  {
    name: 'registry',
    holds: only('adapters/registry.ts'),
    mayImport: ['kit', 'adapters/console', 'adapters/slack', 'adapters/teams'],
  },
  {
    name: 'adapters/console page',
    holds: under('adapters/console/page/'),
    mayImport: ['adapters/console', 'kit', 'node:', 'highlight.js', 'preact', 'temml', 'vite'],
  },
  {
    name: 'adapters/console',
    holds: under('adapters/console/'),
    mayImport: ['kit', 'sqlite', 'node:', 'express', 'jose', 'openid-client', 'zod'],
  },
  {
    name: 'adapters/slack',
    holds: under('adapters/slack/'),
    mayImport: [
      'kit',
      'node:',
      '@slack/oauth',
      '@slack/socket-mode',
      '@slack/web-api',
      '@slack/types',
      'jose',
      'lru-cache',
      'yaml',
      'zod',
    ],
  },
  {
    name: 'adapters/teams',
    holds: under('adapters/teams/'),
    mayImport: ['kit', 'node:', 'undici', 'fflate', 'botbuilder', 'jose', 'lru-cache', 'zod'],
  },
  {
    name: 'channels/xmpp tests',
    holds: under('channels/xmpp/test/'),
    mayImport: ['channels/xmpp', 'parley', 'vitest', 'node:'],
  },
  {
    name: 'channels/xmpp',
    holds: under('channels/xmpp/'),
    mayImport: ['parley', 'node:', 'sax', 'lru-cache'],
  },
  { name: 'adapters/terminal', holds: under('adapters/terminal/'), mayImport: ['kit', 'node:'] },
];

/** Returns the first room in the list that contains the file. */
export function roomOf(path: string): Room | undefined {
  return rooms.find(({ holds }) => holds(path));
}
