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
  /** The installed Parley: its folder, and its version, which `--app-version` overrides. */
  readonly project: { readonly folder: string; readonly version: string };
}

/** The app's description for the chat platform. */
export interface Manifest {
  readonly text: string;
  /** Required members that are missing, each with the remedy. */
  readonly missing: readonly string[];
  /** The app as one file; absent if people paste the text instead. */
  readonly package?: {
    bytes(): Promise<Uint8Array>;
    /** A sentence that says where to upload the file. */
    readonly next: string;
  };
}

export interface Variable {
  readonly setting: string;
  /** For `secret`, the path of a file may be given in `NAME_FILE` instead. */
  readonly kind: 'text' | 'number' | 'secret';
}

interface Named {
  /** Version of this interface. */
  readonly api: 1;
  /** Key of the channel's settings, and the `channel` of its threads. It is stored, so it must not change. */
  readonly name: string;
  /** Display name, such as `Slack`. */
  readonly title: string;
  /**
   * `when-configured`: the channel runs as soon as one of its settings is set. `unless-disabled`: it runs
   * unless it is switched off.
   */
  readonly on: 'when-configured' | 'unless-disabled';
  /** The channel's page of the documentation, relative to the project's folder. */
  readonly page: string;
}

/** The definition of one channel. `settings` must be strict, so that unknown settings are refused. */
export interface Definition<S extends z.ZodObject> extends Named {
  /** @param environment the variables in which `{ env: NAME }` secrets are looked up */
  settings(environment: Environment): S;
  /** Environment variables by name. They override the configuration file. */
  readonly variables: Readonly<Record<string, Variable & { readonly setting: keyof z.input<S> & string }>>;
  /**
   * Returns faults that concern several settings. Called only if the channel is on. The trees are unchecked,
   * so that all faults are reported at once.
   */
  faults?(own: Tree, whole: Tree): readonly Fault[];
  /** Returns the state of the running channel, as the end of the sentence "Slack is …". */
  announce(settings: z.output<S>, shared: Shared): string;
  /** Loads the rest of the channel's code. */
  create(settings: z.output<S>, shared: Shared): Promise<ChannelAdapter>;
  /** Returns the channel's findings for `parley doctor`. */
  checks?(settings: z.output<S>, shared: Shared, clock: Clock): Promise<readonly Finding[]>;
  readonly manifest?: {
    /** `package`: the platform accepts a versioned file, which `--out` writes. */
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

/** A definition without the type of its settings, so that one registry can contain different channels. */
export interface Channel extends Named {
  readonly variables: Readonly<Record<string, Variable>>;
  readonly manifest?: 'text' | 'package';
  /** Returns the schema that checks the channel's settings and binds them to the channel's functions. */
  schema(environment: Environment): z.ZodType<ConfiguredChannel>;
  faults(own: Tree, whole: Tree): readonly Fault[];
}

/**
 * Marks definitions. The symbol is registered globally, so that definitions made by another copy of the kit
 * are recognized.
 */
const DEFINED = Symbol.for('parley.channel');

/** True if the value was created by `defineChannel`. */
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
