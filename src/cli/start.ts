import { join } from 'node:path';
import { systemClock } from '../clock.ts';
import { processEnvironment } from '../config/environment.ts';
import type { Loaded } from '../config/load.ts';
import { type Config, withPlatforms } from '../config/schema.ts';
import type { Log } from '../core/log.ts';
import { createLog } from '../observe/log.ts';
import { createPlatform } from '../platform/index.ts';
import { bracketed } from '../settings/values.ts';
import { announced, brokenLine, type CommandDeps, loadSettings, type Settings } from './channels.ts';
import { composeBridge, logOptions } from './compose.ts';
import { OFFER_RECORD, offeredModel } from './model-offer.ts';
import {
  type Interrupts,
  keepFilesPrivate,
  keepHeapSmall,
  listenForInterrupts,
  outliveOutput,
  watchParent,
} from './own-process.ts';
import { confirm } from './platform/outside.ts';
import { projectVersion } from './project.ts';
import { type PlatformWatch, watchAll, watchPlatform } from './reachable.ts';
import { runSandbox } from './sandbox-process.ts';
import { createStartScreen, type StartScreen } from './start-screen.ts';
import { exportTraces } from './trace-export.ts';

/**
 * Runs the bridge until it is interrupted. After a first Ctrl-C, running answers may end; a second one ends the process
 * immediately.
 */
export async function start(options: { readonly config?: string }, deps: CommandDeps): Promise<number> {
  keepHeapSmall();
  keepFilesPrivate();
  outliveOutput();
  const clock = systemClock;
  const interrupts = listenForInterrupts(clock);
  const parent = watchParent({
    clock,
    environment: processEnvironment(),
    parent: () => process.ppid,
    gone: interrupts.orphaned,
  });
  try {
    return await serve(await loadSettings(deps, options.config), interrupts);
  } finally {
    await parent.stop();
    interrupts.dispose();
  }
}

async function serve(configured: Settings, interrupts: Interrupts): Promise<number> {
  const shape = logOptions(configured.config);
  const log = createLog(shape);
  const stopTraces = await exportTraces(processEnvironment(), log, systemClock, projectVersion());
  const pretty = shape.format === 'pretty';
  const screen = createStartScreen({ out: process.stdout, err: process.stderr, log, pretty });
  screen.state(`Parley ${projectVersion()} starts`);
  const loaded = await withOfferedModel(configured, screen);
  for (const { title, line } of announced(loaded)) screen.state(`${title} is ${line}`);
  for (const each of loaded.broken) log.error({ module: each.module }, brokenLine(each));
  const sandboxed = sayWhoAnswers(loaded, log, screen);
  const { platform, config } = await openPlatform(loaded, log, screen);
  try {
    const bridge = await composeBridge(
      { ...loaded, config },
      {
        log,
        web: { avoid: [config.sandbox.port], awaited: platform.awaited },
        sandboxed,
        // In a terminal, SIGHUP means that the terminal was closed.
        onSource: process.stdin.isTTY === true ? undefined : interrupts.onHangup,
      },
    );
    const stopped = untilStopped(interrupts, log);
    await Promise.race([platform.opened, stopped]);
    screen.ready(addressOf(config, bridge.port));
    await stopped;
    await bridge.stop();
    return 0;
  } finally {
    await platform.stop();
    await stopTraces();
  }
}

/** Adds the model that the person has accepted for the sandbox, if no model is configured. */
async function withOfferedModel(loaded: Settings, screen: StartScreen): Promise<Settings> {
  const { embedded, config } = loaded;
  if (!embedded || config.sandbox.model !== undefined) return loaded;
  const { data } = config;
  const onTerminal = process.stdin.isTTY === true && process.stderr.isTTY === true;
  const model = await offeredModel({ data, environment: processEnvironment(), onTerminal, ask: confirm });
  if (model === undefined) return loaded;
  const at = `${model.name} at ${new URL(model.baseUrl).host}`;
  screen.state(`${at} writes the sandbox's answers; delete ${join(data, OFFER_RECORD)} to be asked again`);
  return { ...loaded, config: { ...config, sandbox: { ...config.sandbox, model } } };
}

/** Says that the sandbox answers, if so, and returns the channels whose answers must say it too. */
export function sayWhoAnswers({ embedded, channels, config }: Loaded, log: Log, screen: StartScreen) {
  if (!embedded) return undefined;
  screen.state(`The sandbox answers, a demonstration platform; ${CONNECT}`);
  // A model gets the questions and passages of the documents, so these variables alone must not switch it on.
  const unused = Object.keys(processEnvironment()).filter((name) => MODEL_VARIABLES.includes(name));
  if (config.sandbox.model === undefined && unused.length > 0)
    screen.state(`${unused.join(' and ')} not used: docs/sandbox.md#a-model says how a model answers`);
  const others = channels.filter(
    ({ channel, isOn, isOutside }) => isOn && (isOutside || channel.on === 'when-configured'),
  );
  const titles = others.map(({ channel }) => channel.title).join(', ');
  if (titles !== '') log.warn({}, `People in ${titles} get answers of the sandbox; ${CONNECT}`);
  return new Set(others.map(({ channel }) => channel.name));
}

/** Variables of other programs that name a language model. */
const MODEL_VARIABLES = ['OPENAI_API_KEY', 'OPENAI_BASE_URL'];

const CONNECT = 'docs/your-agents.md says how to connect an agent platform';

async function openPlatform(
  { config, embedded }: Loaded,
  log: Log,
  screen: StartScreen,
): Promise<{ platform: PlatformWatch; config: Config }> {
  if (!embedded) {
    const watches = Object.entries(config.platforms).map(([name, settings]) => {
      const client = createPlatform(settings, { clock: systemClock, log, random: Math.random });
      return watchPlatform(client, { name, baseUrl: settings.baseUrl }, systemClock, log);
    });
    return { platform: watchAll(watches), config };
  }
  const sandbox = runSandbox(
    config,
    {
      indexing: screen.indexing,
      restarted: (code) => log.error({ code }, 'the sandbox ended and is restarted'),
      complained: (text) => log.warn({ sandbox: text.trim() }, 'the sandbox reports a problem'),
    },
    systemClock,
  );
  const platform: PlatformWatch = {
    opened: sandbox.opened,
    awaited: () => (sandbox.listening ? [] : ['the sandbox is starting']),
    stop: sandbox.stop,
  };
  if (config.sandbox.port !== 0) return { platform, config };
  const baseUrl = await sandbox.opened;
  return { platform, config: withPlatforms(config, () => ({ baseUrl })) };
}

/** Returns the address at which people reach the bridge. */
export function addressOf({ server: { host, publicUrl } }: Config, port: number): string {
  const visibleHost = host === '0.0.0.0' || host === '::' ? 'localhost' : bracketed(host);
  return publicUrl ?? `http://${visibleHost}:${port}`;
}

/** Resolves on the first Ctrl-C or SIGTERM. A second one ends the process. */
function untilStopped(interrupts: Interrupts, log: Log): Promise<void> {
  return new Promise((resolve) => {
    let pressed = false;
    interrupts.onPress((signal) => {
      if (pressed) process.exit(130);
      pressed = true;
      log.info(
        { signal },
        'stopping: waiting for running answers; a second signal (Ctrl-C) ends the bridge immediately',
      );
      resolve();
    });
  });
}
