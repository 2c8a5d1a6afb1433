/**
 * Runs the bridge of `parley start`, and its sandbox, in the process of the test, which saves the start of two processes
 * (1.2 s of CPU time). Tests of the process itself (signals, exit codes, kills) use `runParley`.
 */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { channels, packages } from '../../../adapters/registry.ts';
import { startSandbox } from '../../../sandbox/index.ts';
import { announced, completeSettings } from '../../../src/cli/channels.ts';
import { composeBridge, logOptions } from '../../../src/cli/compose.ts';
import { embeddedSettings } from '../../../src/cli/embedded.ts';
import { addressOf, sayWhoAnswers } from '../../../src/cli/start.ts';
import { createStartScreen } from '../../../src/cli/start-screen.ts';
import { readSettings } from '../../../src/config/load.ts';
import { type Config, withPlatforms } from '../../../src/config/schema.ts';
import { asBridgeError, type BridgeError } from '../../../src/errors.ts';
import { createLog } from '../../../src/observe/log.ts';
import { giveDocuments, keepDocuments } from './read-documents.ts';
import type { DataFolder } from './running-parley.ts';

/** Milliseconds between two word groups of an answer: fewer than usual, so that answers need fewer edits. */
const PACE_MS = 5;

export interface ParleyInside {
  readonly url: string;
  /** Ends the bridge as SIGTERM does. */
  stop(): Promise<void>;
  /** Reads the files of rules and accounts again, as SIGHUP does. */
  reload(): void;
  /** What the process would have written. */
  output(): string;
}

const settingsIn = (environment: Readonly<Record<string, string>>) =>
  completeSettings(readSettings({ environment }), { sandbox: embeddedSettings(), channels, packages });

/** Resolves with the error that ends a start with these variables before anything runs. */
export const refusalOf = (environment: Readonly<Record<string, string>>): Promise<BridgeError> =>
  settingsIn(environment).then(() => {
    throw new Error('The settings are valid.');
  }, asBridgeError);

export async function runInside(
  data: DataFolder,
  environment: Readonly<Record<string, string>> = {},
): Promise<ParleyInside> {
  const opened = new AsyncDisposableStack();
  try {
    const own = { PORT: '0', PARLEY_SANDBOX_PORT: '0', PARLEY_DATA: data.path };
    const loaded = await settingsIn({ ...own, ...environment });
    let written = '';
    const write = (text: string): void => {
      written += text;
    };
    const log = createLog({ ...logOptions(loaded.config), format: 'json', write });
    const screen = createStartScreen({ out: { write }, err: { write }, log, pretty: false });
    for (const { title, line } of announced(loaded)) screen.state(`${title} is ${line}`);
    const sandboxed = sayWhoAnswers(loaded, log, screen);
    const config = loaded.embedded ? await withSandbox(loaded.config, opened) : loaded.config;
    const web = { avoid: [], awaited: () => [] };
    const reloads: (() => void)[] = [];
    const onSource = (reload: () => void): unknown => reloads.push(reload);
    const bridge = await composeBridge({ ...loaded, config }, { log, web, sandboxed, onSource });
    opened.defer(() => bridge.stop());
    const url = addressOf(config, bridge.port);
    return {
      url,
      stop: () => opened.disposeAsync(),
      reload() {
        for (const each of reloads) each();
      },
      output: () => written,
    };
  } catch (thrown) {
    await opened.disposeAsync();
    throw thrown;
  }
}

/** Starts the sandbox, which has read its documents, and returns the settings with its address. */
async function withSandbox(config: Config, opened: AsyncDisposableStack): Promise<Config> {
  const { port, knowledge, model } = config.sandbox;
  const isShipped = knowledge === undefined && !existsSync(join(config.data, 'sandbox'));
  if (isShipped) await giveDocuments(config.data);
  const sandbox = await startSandbox({
    ...{ port, data: join(config.data, 'sandbox'), options: { paceMs: PACE_MS } },
    ...(knowledge !== undefined && { knowledge: [knowledge], withGuides: true }),
    ...(model && { model: { url: model.baseUrl, model: model.name, key: model.key?.reveal() ?? '' } }),
  });
  opened.defer(() => sandbox.close());
  await sandbox.indexed;
  if (isShipped) await keepDocuments(config.data);
  return withPlatforms(config, () => ({ baseUrl: sandbox.url }));
}
