/**
 * The part of the kit that `channel.ts` files import: functions that define a channel and read its settings. Does not
 * load other parts of the kit.
 */

import type { z } from 'zod';
import type { Finding } from '../core/agents/agent.ts';
import type { Clock } from '../core/clock.ts';
import type { ChannelMove, SharedDatabase, StoreName } from '../core/stores/shared-database.ts';
import type { Environment } from '../settings/secret.ts';
import type { Fault, Tree } from '../settings/tree.ts';
import type { ChannelAdapter } from './host.ts';
import type { LiveChannel } from './live.ts';

export type { Finding } from '../core/agents/agent.ts';
export type { Clock } from '../core/clock.ts';
export type { Secret } from '../secret.ts';
export { type Environment, secretFileSetting, secretSetting } from '../settings/secret.ts';
export { type Fault, isTree, type Tree, valueAt } from '../settings/tree.ts';
export {
  address,
  atLeast,
  enabledSetting,
  isLoopback,
  promptsSetting,
  type SecretCheck,
  switchSetting,
} from '../settings/values.ts';

/** Path below which browsers come back from a sign-in that proves who a person is. */
export const PROOF_PATH = '/connect';

/**
 * Returns the address to which a chat platform sends a browser back with a proof of identity.
 * @param publicUrl without a slash at the end
 * @example
 * ```ts
 * proofAddress('https://parley.example', 'my-chat'); // 'https://parley.example/connect/my-chat'
 * ```
 */
export const proofAddress = (publicUrl: string, channel: string): string =>
  `${publicUrl}${PROOF_PATH}/${channel}`;

/** Settings of the bridge that any channel may need. */
export interface Shared {
  /** Address under which people reach the bridge, without a slash at the end. */
  readonly publicUrl?: string;
  /** Host name or IP address on which the bridge listens. */
  readonly host: string;
  /** Addresses and networks of the proxies whose X-Forwarded-For header is trusted. */
  readonly trustedProxies: readonly string[];
  /** Path of the data folder. */
  readonly data: string;
  /** True if several processes share a database, and none may keep data in its data folder. */
  readonly isReplicated: boolean;
  /** Time for which uploaded files are kept, in days; if absent, they do not expire. */
  readonly fileDays?: number;
  /** Name of the agent that answers if a question names none. */
  readonly defaultAgent: string;
  /** True if people are recognized by their e-mail addresses, in the identity table or in rules. */
  readonly byEmail: boolean;
  /** The folder and the version of the installed Parley. `--app-version` overrides the version. */
  readonly project: { readonly folder: string; readonly version: string };
}

/** The description of the app that an operator uploads to the chat platform. */
export interface Manifest {
  readonly text: string;
  /** Required values that are missing in the settings, each with the remedy. */
  readonly missing: readonly string[];
  /** The app as one file. Absent if operators paste the text instead. */
  readonly package?: {
    bytes(): Promise<Uint8Array>;
    /** A sentence that tells the operator where to upload the file. */
    readonly next: string;
  };
}

export interface Variable {
  readonly setting: string;
  /** For `secret`, the variable `NAME_FILE` may name a file that contains the value. */
  readonly kind: 'text' | 'number' | 'secret';
}

interface Named {
  /** Version of the interface between Parley and channels. */
  readonly api: 1;
  /**
   * The channel's name: the key of its settings, and the `channel` of its threads. Stored threads contain the name, so
   * the name must not change.
   */
  readonly name: string;
  /** Display name, such as `Slack`. */
  readonly title: string;
  /**
   * When the channel runs. `when-configured`: as soon as one of its settings is given. `unless-disabled`: always,
   * unless it is switched off.
   */
  readonly on: 'when-configured' | 'unless-disabled';
  /** Path of the channel's documentation page, relative to the project's folder. */
  readonly page: string;
  /**
   * True if the channel keeps data of its own in the data folder. Such a channel is off in a bridge with
   * `database.url`, because replicas do not share a data folder.
   */
  readonly localState?: true;
  /**
   * Set if the channel, which otherwise runs without any setting, runs in a bridge with `database.url` only if one of
   * its settings is given.
   */
  readonly withDatabase?: 'when-configured';
  /** Returns the move of what the channel keeps by itself in the data folder or in the database (`parley store move`). */
  move?(stores: ChannelStores): ChannelMove;
}

/** Both places where a channel may keep data of its own. */
export interface ChannelStores {
  /** Path of the data folder. */
  readonly data: string;
  readonly database: SharedDatabase;
  /** Target of the move. */
  readonly to: StoreName;
}

/** The definition of one channel. `settings` must be strict, so that unknown settings are refused. */
export interface Definition<S extends z.ZodObject> extends Named {
  /** @param environment the variables in which `{ env: NAME }` secrets are looked up */
  settings(environment: Environment): S;
  /** Environment variables by name. They override the configuration file. */
  readonly variables: Readonly<Record<string, Variable & { readonly setting: keyof z.input<S> & string }>>;
  /**
   * Returns faults that concern several settings together. Called only if the channel is on, but even if single
   * settings are invalid, so that all faults are reported at once.
   */
  faults?(own: Tree, whole: Tree): readonly Fault[];
  /** Returns how the channel is running, as the end of the sentence "Slack is …". */
  announce(settings: z.output<S>, shared: Shared): string;
  /** Loads the remaining code of the channel and creates its adapter. */
  create(settings: z.output<S>, shared: Shared): Promise<ChannelAdapter>;
  /** Returns what `parley doctor` reports about the channel. */
  checks?(settings: z.output<S>, shared: Shared, clock: Clock): Promise<readonly Finding[]>;
  /** Returns the channel with the acts of `parley doctor --live`. Throws `usage` if the settings do not suffice. */
  live?(settings: z.output<S>, shared: Shared, clock: Clock): Promise<LiveChannel>;
  readonly manifest?: {
    /**
     * `package`: the chat platform accepts a versioned file, which `--out` writes. `text`: people paste the manifest's
     * text.
     */
    readonly form: 'text' | 'package';
    make(settings: z.output<S>, shared: Shared): Promise<Manifest>;
  };
}

/** A channel with its checked settings. */
export interface ConfiguredChannel {
  announce(shared: Shared): string;
  create(shared: Shared): Promise<ChannelAdapter>;
  checks(shared: Shared, clock: Clock): Promise<readonly Finding[]>;
  live?(shared: Shared, clock: Clock): Promise<LiveChannel>;
  manifest?(shared: Shared): Promise<Manifest>;
}

/** A definition without the type of its settings, so that one list can contain different channels. */
export interface Channel extends Named {
  readonly variables: Readonly<Record<string, Variable>>;
  readonly manifest?: 'text' | 'package';
  /** True if `parley doctor --live` can check the channel. */
  readonly hasLive?: true;
  /** Returns the schema that checks the channel's settings and converts them to a `ConfiguredChannel`. */
  schema(environment: Environment): z.ZodType<ConfiguredChannel>;
  faults(own: Tree, whole: Tree): readonly Fault[];
}

/**
 * Marks channel definitions. The symbol is registered globally, so that definitions made with another copy of the kit
 * are also recognized.
 */
const DEFINED = Symbol.for('parley.channel');

/** True if the value was created by `defineChannel`. */
export const isChannel = (value: unknown): value is Channel =>
  typeof value === 'object' && value !== null && DEFINED in value;

/**
 * Makes the channel that a module exports as `channel`, or that a function with this name returns.
 * @example
 * ```ts
 * defineChannel({
 *   api: 1,
 *   name: 'my-chat',
 *   title: 'My Chat',
 *   on: 'when-configured',
 *   page: 'README.md',
 *   settings: (environment) =>
 *     z.strictObject({
 *       enabled: enabledSetting('My Chat'),
 *       url: address.describe('Address of the chat'),
 *       token: secretSetting(environment, 'Token of the bot').superRefine(atLeast(16, 'Set MY_CHAT_TOKEN.')),
 *       prompts: promptsSetting(4, 40, 'Questions that people see before the first answer'),
 *       footer: switchSetting('Whether answers say that an agent wrote them', true),
 *     }),
 *   variables: { MY_CHAT_TOKEN: { setting: 'token', kind: 'secret' } },
 *   announce: ({ url }) => `on, for ${url}`,
 *   async create(settings, shared) {
 *     const { createAdapter } = await withPackages('My Chat', () => import('./adapter.js'));
 *     return createAdapter(settings, shared);
 *   },
 * });
 * ```
 */
export function defineChannel<S extends z.ZodObject>(definition: Definition<S>): Channel {
  const { api, name, title, on, page, localState, withDatabase, variables, manifest, live, move } =
    definition;
  const configured = (settings: z.output<S>): ConfiguredChannel => ({
    announce: (shared) => definition.announce(settings, shared),
    create: (shared) => definition.create(settings, shared),
    checks: async (shared, clock) => (await definition.checks?.(settings, shared, clock)) ?? [],
    ...(live && { live: (shared, clock) => live(settings, shared, clock) }),
    ...(manifest && { manifest: (shared) => manifest.make(settings, shared) }),
  });
  const channel: Channel & { readonly [DEFINED]: true } = {
    [DEFINED]: true,
    ...{ api, name, title, on, page, variables },
    ...(manifest && { manifest: manifest.form }),
    ...(localState && { localState }),
    ...(withDatabase && { withDatabase }),
    ...(live && { hasLive: true }),
    ...(move && { move }),
    schema: (environment) => definition.settings(environment).transform(configured),
    faults: (own, whole) => definition.faults?.(own, whole) ?? [],
  };
  return channel;
}
