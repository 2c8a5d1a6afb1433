/** Tests the packages that `npm ci --omit=dev --ignore-scripts` installs in production, as in the container image. */

import { execSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sandboxCatalogue, startSandbox } from '../sandbox/index.ts';
import { freePorts } from './bench/free-ports.ts';
import { fenced } from './docs/pages.ts';
import { openScene } from './fakes/history/scene.ts';
import { page } from './fakes/outside/my-chat.ts';
import { missing as noPostgres, startPostgres } from './fakes/postgres/server.ts';
import { startFakeSlack, visibleText } from './fakes/slack/index.ts';
import { unless } from './fakes/xmpp/on-servers.ts';
import { DOMAIN, missing, PASSWORD, startServer } from './fakes/xmpp/servers.ts';

/**
 * Maximum number of packages of `npm ci --omit=dev --omit=optional`. Each package must be trusted, so few are better.
 */
const MOST = 200;
/**
 * Maximum number of packages of `npm ci --omit=dev`. It also installs the optional packages: Slack's SDK, botbuilder for a
 * managed identity in Teams, and what the sandbox needs for models, PDF and DOCX.
 */
const MOST_WITH_OPTIONAL = 290;

interface Locked {
  readonly dev?: true;
  readonly optional?: true;
  /** True if the package is needed for development and, optionally, also in production. */
  readonly devOptional?: true;
  readonly hasInstallScript?: true;
  readonly integrity?: string;
}

const root = new URL('..', import.meta.url).pathname;
const lock = JSON.parse(readFileSync(`${root}package-lock.json`, 'utf8')) as {
  readonly packages: Readonly<Record<string, Locked>>;
};

function production(packages: Readonly<Record<string, Locked>>): readonly (readonly [string, Locked])[] {
  return Object.entries(packages).filter(([path, { dev }]) => path !== '' && dev === undefined);
}

const installed = production(lock.packages);

const needed = installed.filter(([, { optional, devOptional }]) => (optional ?? devOptional) === undefined);
/** What TypeScript needs besides. */
const FOR_TYPES = ['@types/node', 'undici-types', '@types/express'].map((name) => `node_modules/${name}`);

test(`at most ${MOST} packages, ${MOST_WITH_OPTIONAL} with the optional ones`, () => {
  expect(needed.length).toBeGreaterThan(100);
  expect(needed.length).toBeLessThanOrEqual(MOST);
  expect(installed.length).toBeGreaterThan(needed.length);
  expect(installed.length).toBeLessThanOrEqual(MOST_WITH_OPTIONAL);
});

test('packages for development do not count', () => {
  const paths = production({ '': {}, 'node_modules/a': {}, 'node_modules/b': { dev: true } });
  expect(paths.map(([path]) => path)).toEqual(['node_modules/a']);
});

test('no package needs its install script, and none is run', () => {
  expect(installed.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => path)).toEqual([]);
});

test('each package is pinned by a hash', () => {
  expect(installed.filter(([, { integrity }]) => integrity === undefined).map(([path]) => path)).toEqual([]);
});

interface Component {
  readonly purl: string;
  readonly properties?: readonly { readonly name: string }[];
}

test('the bill of materials printed as in SECURITY.md names all packages', () => {
  const [command = ''] = /npm sbom [^`]+/.exec(readFileSync(`${root}SECURITY.md`, 'utf8')) ?? [];
  const printed = execSync(command, { cwd: root, stdio: ['ignore', 'pipe', 'ignore'] });
  const { components } = JSON.parse(printed.toString()) as { components: readonly Component[] };
  const forDevelopment = ({ properties = [] }: Component) =>
    properties.some(({ name }) => name === 'cdx:npm:package:development');
  const named = components
    .filter((component) => !forDevelopment(component))
    .map(({ purl }) => decodeURIComponent(purl.replace(/^pkg:npm\/|@[^@]*$/g, '')));
  const names = installed.map(([path]) => path.replace(/^.*node_modules\//, ''));
  expect([...new Set(named)].toSorted()).toEqual([...new Set(names)].toSorted());
});

/** The code on the pages for programmers, by the name of its file. */
const examples = Object.fromEntries(
  ['embed', 'write-an-agent', 'platform-from-code'].flatMap((name) =>
    [...readFileSync(`${root}docs/${name}.md`, 'utf8').matchAll(/^```ts (\S+\/\S+)\n([\s\S]*?)^```$/gm)].map(
      ([, file = '', body = '']) => [file, body] as const,
    ),
  ),
);

function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

const node = (cwd: string, ...args: readonly string[]) =>
  spawnSync(process.execPath, [...args], { cwd, encoding: 'utf8' });

/** The compiler with one checker: several checkers take more CPU time, because each derives the same types. */
const TSC = [join(root, 'node_modules/typescript/bin/tsc'), '--checkers', '1'];
const PARLEY = 'node_modules/parley/bin/parley.js';

describe('the package that npm makes of a clone', () => {
  let folder: string;
  let paths: readonly string[];
  beforeAll(() => {
    rmSync(`${root}dist`, { recursive: true, force: true });
    folder = mkdtempSync(join(tmpdir(), 'parley-pack-'));
    const pack = `npm pack --json --pack-destination ${folder}`;
    const printed = execSync(pack, { cwd: root, stdio: ['ignore', 'pipe', 'ignore'] });
    const [packed] = JSON.parse(printed.toString()) as [
      { readonly filename: string; readonly files: readonly { readonly path: string }[] },
    ];
    paths = packed.files.map(({ path }) => path);
    // Installs the packed package beside links to its dependencies, without the optional ones.
    for (const path of [...needed.map(([each]) => each), ...FOR_TYPES]) {
      if (path.lastIndexOf('node_modules/') > 0) continue;
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      symlinkSync(join(root, path), join(folder, path));
    }
    execSync(`tar -xzf ${packed.filename} && mv package node_modules/parley`, { cwd: folder });
  }, 120_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('holds the built code and page', () => {
    expect(paths).toEqual(
      expect.arrayContaining([
        'dist/src/main.js',
        'dist/src/kit/package.d.ts',
        'dist/adapters/console/page/dist/index.html',
        'bin/parley.js',
        'templates/channel/channel.js',
      ]),
    );
  });

  describe('in TypeScript', () => {
    const entries = {
      parley: 'createParley, openai, slack, teams, console as web',
      'parley/kit': 'defineChannel, lineWriter, messageWriter, z',
      'parley/kit/ladder': 'createLadder',
      'parley/platform': 'connectPlatform, fileFromDisk, api, BridgeError',
      'parley/testing': 'conform, createVirtualClock, createMemoryStore, startSandbox',
    };
    const channel = fenced(page, 'ts');
    const files: Readonly<Record<string, string>> = {
      'typed-chat/channel.ts': channel,
      'typed-chat/wrong.ts': channel.replace('api: 1', 'api: 2'),
      ...Object.fromEntries(
        Object.entries(entries).map(([entry, names]) => [
          `${entry.replaceAll('/', '-')}.ts`,
          `import { ${names} } from '${entry}';\nconsole.log([${names.replace('console as ', '')}].map((each) => typeof each).join());\n`,
        ]),
      ),
      ...examples,
    };
    let compiled: string;
    // One run compiles all files, because each run reads the same 2,000 declarations.
    beforeAll(() => {
      write(folder, files);
      write(folder, { 'package.json': '{ "type": "module" }' });
      const options = ['--module', 'nodenext', '--target', 'es2024', '--strict', '--types', 'node'];
      const tsc = [...TSC, ...options, '--rewriteRelativeImportExtensions', '--outDir', 'compiled'];
      compiled = node(folder, ...tsc, ...Object.keys(files)).stdout;
    }, 60_000);

    test('has right types, which need no optional package, and refuses wrong ones', () => {
      expect(Object.keys(examples)).toHaveLength(7);
      expect(compiled.trim().split('\n')).toEqual([
        expect.stringMatching(/^typed-chat\/wrong\.ts\(.*Type '2' is not assignable to type '1'/),
      ]);
    });

    test('can be imported', () => {
      const names = Object.keys(entries).map((entry) => `./${entry.replaceAll('/', '-')}.ts`);
      const script = names.map((name) => `await import('${name}');`).join('');
      const ran = node(folder, '--input-type=module', '-e', script);
      expect(ran).toMatchObject({
        stdout: expect.stringMatching(/^(?:(?:(?:function|object),?)+\n){5}$/),
        status: 0,
      });
    });

    test('runs the channel of docs/channels.md', () => {
      const manifest = { name: 'typed-chat', type: 'module', exports: './channel.js' };
      write(join(folder, 'compiled/typed-chat'), { 'package.json': JSON.stringify(manifest) });
      write(folder, {
        'typed.yaml': 'channels: [{ module: ./compiled/typed-chat, settings: { greeting: hi } }]',
      });
      expect(node(folder, PARLEY, 'config', 'check', '--config', 'typed.yaml')).toMatchObject({
        stdout: expect.stringContaining('Typed Chat: on, and says hi.'),
        status: 0,
      });
    });
  });

  test('writes a channel of your own, whose types are right and which conforms', () => {
    expect(node(folder, PARLEY, 'channel', 'new', 'team-room')).toMatchObject({ status: 0 });
    const some = ['--only', 'intake', '--only', 'ladder', '--runs', '1'];
    const checked = node(folder, PARLEY, 'conform', 'team-room', '--rig', 'team-room/rig.js', ...some);
    expect(checked).toMatchObject({
      stdout: expect.stringContaining('Team Room conforms as far as it was checked:'),
      status: 0,
    });
    // Without a wrong type, no error could also mean that the types are not found.
    const writer = readFileSync(join(folder, 'team-room/writer.js'), 'utf8');
    write(folder, { 'team-room/wrong.js': writer.replace("family: 'put'", 'family: 1') });
    expect(
      node(folder, ...TSC, '-p', 'team-room')
        .stdout.trim()
        .split('\n'),
    ).toEqual([
      expect.stringMatching(/^team-room\/wrong\.js\(.*Type 'number' is not assignable to type 'string'/),
    ]);
  }, 120_000);

  unless(missing('prosody'), () =>
    test('loads the package of XMPP beside it, and its doctor examines a server', async () => {
      cpSync(join(root, 'channels/xmpp'), join(folder, 'channels/xmpp'), {
        recursive: true,
        filter: (path) => !path.includes('node_modules'),
      });
      const own = JSON.parse(readFileSync(join(root, 'channels/xmpp/package.json'), 'utf8'));
      mkdirSync(join(folder, 'channels/xmpp/node_modules'));
      for (const name of Object.keys(own.dependencies))
        symlinkSync(join(root, 'node_modules', name), join(folder, 'channels/xmpp/node_modules', name));
      const server = await startServer('prosody', ['parley']);
      try {
        const address = { server: `127.0.0.1:${server.port}`, tls: 'none' };
        const settings = { jid: `parley@${DOMAIN}`, password: PASSWORD, ...address };
        const file = join(folder, 'xmpp.yaml');
        writeFileSync(file, JSON.stringify({ channels: [{ module: './channels/xmpp', settings }] }));
        const { stdout } = node(folder, PARLEY, 'doctor', '--config', file);
        expect(stdout).toContain(`XMPP: on as parley@${DOMAIN}, in 0 rooms and in direct messages`);
        expect(stdout).toMatch(/ok +XMPP sign-in: as parley@localhost, with SCRAM-SHA-/);
      } finally {
        await server.stop();
      }
    }, 120_000),
  );

  describe('the code on the pages for programmers', () => {
    const run = (file: string, environment: Readonly<Record<string, string>> = {}) =>
      spawn(process.execPath, [...(file.includes('.test.') ? ['--test'] : []), file], {
        cwd: folder,
        env: { PATH: process.env.PATH, ...environment },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
    const outputOf = async (child: ReturnType<typeof run>): Promise<readonly [unknown, string]> => {
      let printed = '';
      child.stdout.on('data', (text) => {
        printed += text;
      });
      const [code] = await once(child, 'close');
      return [code, printed];
    };
    beforeAll(() => {
      write(folder, {
        ...examples,
        'package.json': '{ "type": "module" }',
        'guide.md': '# Visitors\n\nA visitor pass is valid for one day.\n',
      });
    });

    test.each(['embed/express.ts', 'embed/http.ts'])('%s serves', async (file) => {
      const [port] = await freePorts();
      const child = run(file, { PORT: String(port), CONSOLE_TOKEN: 'a token for tests' });
      try {
        const status = () =>
          fetch(`http://127.0.0.1:${port}/readyz`).then(
            (response) => response.status,
            () => 0,
          );
        await expect.poll(status, { timeout: 20_000 }).toBe(200);
        expect((await fetch(`http://127.0.0.1:${port}/console/state`)).status).toBe(401);
      } finally {
        child.kill();
        await once(child, 'close');
      }
    }, 60_000);

    test.skipIf(noPostgres !== undefined)(
      'embed/worker.ts answers as two processes without a port, and goes on as one',
      async () => {
        await using opened = new AsyncDisposableStack();
        const postgres = opened.adopt(await startPostgres(), (it) => it.stop());
        const slack = opened.adopt(
          await startFakeSlack({ limits: { off: true }, deliverTo: 'socket' }),
          (it) => it.close(),
        );
        const scene = openScene({ slack }, 0);
        // The worker installs the optional packages of Slack.
        mkdirSync(join(folder, 'node_modules/@slack'), { recursive: true });
        for (const name of ['web-api', 'socket-mode', 'oauth', 'logger'].map((each) => `@slack/${each}`))
          symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name));
        writeFileSync(join(folder, 'parley.yaml'), 'defaultAgent: mine\n');
        const environment = {
          DATABASE_URL: await postgres.database(),
          PARLEY_KEY: 'a key of thirty-two characters or more',
          SLACK_API_URL: slack.apiUrl,
          SLACK_BOT_TOKEN: slack.workspace().token,
          SLACK_APP_TOKEN: slack.app.appToken,
        };
        const start = () => {
          const child = run('embed/worker.ts', environment);
          return { child: opened.adopt(child, (it) => void it.kill('SIGKILL')), ended: once(child, 'exit') };
        };
        const [one, other] = [start(), start()];
        const eventually = (look: () => unknown) => expect.poll(look, { timeout: 60_000, interval: 100 });
        const answered = async () => {
          const asked = scene.ask(scene.room());
          const shown = () => scene.replies(asked).map(visibleText).join('\n');
          await eventually(shown).toContain(`You asked: `);
          expect(scene.replies(asked)).toHaveLength(1);
        };
        await eventually(() => slack.socket.connections).toBe(2);
        await answered();
        await answered();
        one.child.kill('SIGKILL');
        await eventually(() => slack.socket.connections).toBe(1);
        await answered();
        other.child.kill('SIGTERM');
        expect(await other.ended).toEqual([0, null]);
      },
      180_000,
    );

    test('tests its agent', async () => {
      expect(await outputOf(run('write-an-agent/handbook.test.ts'))).toEqual([
        0,
        expect.stringContaining('pass 1'),
      ]);
    }, 60_000);

    test('uploads a document, and starts a sandbox', async () => {
      const sandbox = await startSandbox({
        port: 0,
        memory: true,
        knowledge: [join(root, 'sandbox/corpus')],
      });
      const { client, secret } = sandboxCatalogue.openClient;
      const environment = {
        PLATFORM_URL: sandbox.url,
        CLIENT: client,
        CLIENT_SECRET: secret,
        ACCOUNT: 'admin',
      };
      const printed = await outputOf(run('platform-from-code/documents.ts', environment));
      await sandbox.close();
      expect(printed).toEqual([0, expect.stringContaining('guide.md')]);
      expect(await outputOf(run('platform-from-code/sandbox.ts'))).toEqual([0, '200\n']);
    }, 120_000);
  });

  test('describes the platform for tools', () => {
    const script =
      "import it from 'parley/platform/openapi.json' with { type: 'json' }; console.log(it.openapi);";
    const printed = execSync(`${process.execPath} --input-type=module -e "${script}"`, { cwd: folder });
    expect(printed.toString()).toBe('3.1.0\n');
  });
});

test('each base image is pinned by a digest', () => {
  const dockerfile = readFileSync(new URL('../Dockerfile', import.meta.url), 'utf8');
  const [, image = ''] = /^ARG NODE_IMAGE=(.*)$/m.exec(dockerfile) ?? [];
  expect(image).toMatch(/^node:24\.\d+\.\d+-\S+@sha256:[0-9a-f]{64}$/);
  const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base);
  expect(new Set(bases.map((base) => base?.replace(/\W/g, '')))).toEqual(new Set(['NODE_IMAGE', 'scratch']));
});
