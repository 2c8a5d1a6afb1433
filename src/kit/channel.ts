/**
 * The part of the kit for `channel.ts` files: the definition of a channel, and the readers of settings. Loads no other
 * part.
 */

import type { z } from 'zod';
import type { Finding } from '../core/agents/agent.ts';
import type { Clock } from '../core/clock.ts';
import type { ChannelAdapter } from '../kit.ts';
import type { Environment } from '../settings/secret.ts';
import type { Fault, Tree } from '../settings/tree.ts';

export type { Finding } from '../core/agents/agent.ts';
export type { Clock } from '../core/clock.ts';
export type { Secret } from '../secret.ts';
export { type Environment, secretFileSetting, secretSetting } from '../settings/secret.ts';
export { type Fault, isTree, type Tree, valueAt } from '../settings/tree.ts';
export {
  address,
  atLeast,
  bracketed,
  enabledSetting,
  isLoopback,
  KEY_CHARACTERS,
  promptsSetting,
  type SecretCheck,
} from '../settings/values.ts';

/** Settings of the bridge that any channel may need. */
export interface Shared {
  /** Address under which people reach the bridge, without a slash at the end. */
  readonly publicUrl?: string;
  /** Address that the bridge listens on. */
  readonly host: string;
  /** Addresses and networks of proxies whose X-Forwarded-For is trusted. */
  readonly trustedProxies: readonly string[];
  /** The data folder. */
  readonly data: string;
  readonly defaultAgent: string;
  readonly access: { readonly guests: boolean; readonly external: boolean; readonly bots: boolean };
  /** True if a line of the identity table names a person by e-mail address. */
  readonly byEmail: boolean;
  /** The installed Parley: its folder, and its version or the one that `--app-version` gives. */
  readonly project: { readonly folder: string; readonly version: string };
}

/** The app's description for the chat platform. */
export interface Manifest {
  readonly text: string;
  /** Members that the platform requires and that are missing, each with its cure. */
  readonly missing: readonly string[];
  /** The app as one file; absent: people paste the text. */
  readonly package?: {
    bytes(): Promise<Uint8Array>;
    /** The next step, as a sentence: the place to upload the file. */
    readonly next: string;
  };
}

export interface Variable {
  readonly setting: string;
  /** A secret may be given as a path in `NAME_FILE` instead. */
  readonly kind: 'text' | 'number' | 'secret';
}

interface Named {
  /** Version of this interface. */
  readonly api: 1;
  /** Key of its settings, and the channel of its threads. Stored, so it must not change. */
  readonly name: string;
  /** Display name, such as `Slack`. */
  readonly title: string;
  /** `when-configured`: served as soon as one of its settings is set. */
  readonly on: 'when-configured' | 'unless-disabled';
  /** Its page of the documentation, from the project's folder. */
  readonly page: string;
}

/** The definition of one channel. `settings` must be strict, so that unknown settings are refused. */
export interface Definition<S extends z.ZodObject> extends Named {
  /** @param environment where `{ env: NAME }` secrets are found */
  settings(environment: Environment): S;
  /** Environment variables by name. They override the configuration file. */
  readonly variables: Readonly<Record<string, Variable & { readonly setting: keyof z.input<S> & string }>>;
  /**
   * Returns faults across several settings. Called only if the channel is on, with unchecked trees, so that all faults
   * are reported at once.
   */
  faults?(own: Tree, whole: Tree): readonly Fault[];
  /** The channel's state when it is on, as the end of the sentence "Slack is …". */
  announce(settings: z.output<S>, shared: Shared): string;
  /** Loads the rest of the channel's code. */
  create(settings: z.output<S>, shared: Shared): Promise<ChannelAdapter>;
  /** Findings of `parley doctor`. */
  checks?(settings: z.output<S>, shared: Shared, clock: Clock): Promise<readonly Finding[]>;
  readonly manifest?: {
    /** `package`: the platform takes a versioned file, which `--out` writes. */
    readonly form: 'text' | 'package';
    make(settings: z.output<S>, shared: Shared): Promise<Manifest>;
  };
}

/** A channel with its checked settings. */
export interface ConfiguredChannel {
  announce(shared: Shared): string;
  create(shared: Shared): Promise<ChannelAdapter>;
  checks(shared: Shared, clock: Clock): Promise<readonly Finding[]>;
  manifest?(shared: Shared): Promise<Manifest>;
}

/** A definition whose type of settings is erased, so that different channels stand in one registry. */
export interface Channel extends Named {
  readonly variables: Readonly<Record<string, Variable>>;
  readonly manifest?: 'text' | 'package';
  /** Checks the channel's settings and binds them to what the channel does. */
  schema(environment: Environment): z.ZodType<ConfiguredChannel>;
  faults(own: Tree, whole: Tree): readonly Fault[];
}

/** Marks definitions. Registered globally, so that one that was made by another copy of the kit is recognized. */
const DEFINED = Symbol.for('parley.channel');

/** True if `defineChannel` made it. */
export const isChannel = (value: unknown): value is Channel =>
  typeof value === 'object' && value !== null && DEFINED in value;

export function defineChannel<S extends z.ZodObject>(definition: Definition<S>): Channel {
  const { api, name, title, on, page, variables, manifest } = definition;
  const configured = (settings: z.output<S>): ConfiguredChannel => ({
    announce: (shared) => definition.announce(settings, shared),
    create: (shared) => definition.create(settings, shared),
    checks: async (shared, clock) => (await definition.checks?.(settings, shared, clock)) ?? [],
    ...(manifest && { manifest: (shared) => manifest.make(settings, shared) }),
  });
  const channel: Channel & { readonly [DEFINED]: true } = {
    [DEFINED]: true,
    ...{ api, name, title, on, page, variables },
    ...(manifest && { manifest: manifest.form }),
    schema: (environment) => definition.settings(environment).transform(configured),
    faults: (own, whole) => definition.faults?.(own, whole) ?? [],
  };
  return channel;
}
