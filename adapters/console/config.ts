import type { Person } from '../../src/kit.ts';
import type { ConsoleSettings } from './settings.ts';
import type { PersonView } from './wire.ts';

/** A person that users of the console can speak as. The id consists of letters, digits, `-` and `_`. */
export interface ConsolePerson extends PersonView {
  readonly email?: string | undefined;
  /** If absent, `member`. */
  readonly standing?: Person['standing'];
  /** Groups that the identity provider reports; absent without sign-in. */
  readonly groups?: readonly string[];
}

/**
 * A secret that may change while the console runs. It is read again at each use, so a new secret makes all old cookies
 * invalid.
 */
export interface Token {
  reveal(): string;
}

/** How people sign in with an OpenID Connect provider. */
export interface SignInConfig extends Omit<NonNullable<ConsoleSettings['signIn']>, 'clientSecret'> {
  readonly clientSecret?: Token | undefined;
  /** The console's own address, to which the provider sends the browser back. */
  readonly redirectUri: string;
  /** Address of the console's page, with a slash at its end. */
  readonly pageAddress: string;
}

export interface ConsoleConfig {
  /**
   * The SQLite file that contains the chat's rooms and messages. Its folder must exist. The bytes of uploaded files are
   * in the folder `<file>.files`.
   */
  readonly file: string;
  /** True if the chat and the files are in the database of the replicas instead. */
  readonly isReplicated?: boolean;
  /** Time for which files are kept, in days; if absent, they do not expire. */
  readonly fileDays?: number;
  /** People to choose from in a console without access control. With a token, everybody speaks as the first person. */
  readonly people: readonly ConsolePerson[];
  /** Name by which people mention the bridge to ask the room's default agent. */
  readonly botName: string;
  readonly defaultAgent: string;
  /** Token that the page asks for. Whoever has it speaks as the first person. */
  readonly token?: Token;
  /** If set, each person signs in with this identity provider. Takes precedence over `token`. */
  readonly signIn?: SignInConfig;
  /**
   * Host names under which people may reach the console: `localhost` (any port) or `chat.example.org:8443` (only that
   * port).
   */
  readonly allowedHosts: readonly string[];
  /** Origin of the public address, as browsers send it. */
  readonly publicOrigin?: string;
  /** True if the public address is https. Browsers then send the sign-in cookie over https only. */
  readonly secureCookies?: boolean;
  /** Addresses or networks of proxies whose X-Forwarded-For is trusted. If absent, none is. */
  readonly trustedProxies?: readonly string[];
  /** Folder with the built page: `index.html` and `assets/`. */
  readonly pageFolder: string;
}

/** People offered if the configuration names none. */
export const defaultPeople: readonly ConsolePerson[] = [
  { id: 'engineer', name: 'Engineer', title: 'Builds things' },
  { id: 'designer', name: 'Designer', title: 'Shapes things' },
  { id: 'manager', name: 'Manager', title: 'Plans things' },
  { id: 'newcomer', name: 'New colleague', title: 'First week' },
];

/** If the configuration names no people, everybody with the token speaks as this person. */
export const tokenPerson: ConsolePerson = {
  id: 'operator',
  name: 'Operator',
  title: 'Has the console token',
};
