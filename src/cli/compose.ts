/** Creates a running bridge from checked settings: its channels, and the files that it watches. */

import { join } from 'node:path';
import { createFileSource, type FileSource, RULES_RECORD } from '../bridge/file-source.ts';
import type { OwnFunctions } from '../bridge/own-agents.ts';
import { type Bridge, startBridge } from '../bridge.ts';
import { systemClock } from '../clock.ts';
import type { WatchedFile } from '../config/load.ts';
import type { Config } from '../config/schema.ts';
import type { Log } from '../core/log.ts';
import { createAdapters, type Settings, sharedOf } from './channels.ts';
import { projectVersion } from './project.ts';

interface Composition {
  readonly log: Log;
  readonly web: NonNullable<Parameters<typeof startBridge>[0]['web']>;
  readonly sandboxed?: ReadonlySet<string> | undefined;
  readonly functions?: OwnFunctions | undefined;
  /** Called with a function that reads a watched file again at once. */
  readonly onSource?: ((reload: () => void) => void) | undefined;
}

/** Starts the bridge. Throws the errors of `startBridge`. */
export async function composeBridge(loaded: Settings, composition: Composition): Promise<Bridge> {
  const { config } = loaded;
  const { log, web, sandboxed, functions, onSource } = composition;
  const record = config.database === undefined ? join(config.data, RULES_RECORD) : undefined;
  const rules = watchSource('rules', loaded.rulesFile, { log, record });
  const accounts = watchSource('accounts', loaded.accountsFile, { log, record: undefined });
  for (const source of [rules, accounts]) if (source !== undefined) onSource?.(source.reload);
  const stopSources = async () => {
    await rules?.stop();
    await accounts?.stop();
  };
  try {
    const { adapters, outside, titles } = await createAdapters(loaded, sharedOf(config), log);
    const bridge = await startBridge({
      config,
      rules: rules?.current ?? (() => loaded.rules),
      ...(rules && { onRulesReload: rules.onReload }),
      fileAccounts: accounts?.current,
      log,
      adapters,
      outside,
      titles,
      sandboxed,
      ...(functions && { functions }),
      version: projectVersion(),
      web,
    });
    const stop = () => bridge.stop().finally(stopSources);
    return { ...bridge, stop };
  } catch (thrown) {
    await stopSources();
    throw thrown;
  }
}

function watchSource<Value>(
  noun: 'rules' | 'accounts',
  configured: WatchedFile<Value> | undefined,
  { log, record }: { readonly log: Log; readonly record: string | undefined },
): FileSource<Value> | undefined {
  const { value, digest } = configured?.first ?? {};
  if (configured === undefined || value === undefined) return undefined;
  const { name: file, read } = configured;
  return createFileSource<Value>({
    file,
    noun,
    first: { value, digest },
    read,
    clock: systemClock,
    log,
    ...(record !== undefined && { record }),
  });
}

/** Returns how the settings want the log, which goes to standard error. */
export function logOptions({ log: { level, format } }: Config) {
  const pretty = format === 'pretty' || (format === 'auto' && process.stderr.isTTY);
  const write = (line: string): void => void process.stderr.write(line);
  return { level, format: pretty ? 'pretty' : 'json', write } as const;
}
