import type { Person } from '../../src/kit.ts';
import type { PersonView } from './wire.ts';

/** A person as whom users of the console can speak. The id consists of letters, digits, `-` and `_`. */
export interface ConsolePerson extends PersonView {
  readonly email?: string | undefined;
  /** If absent, `member`. */
  readonly standing?: Person['standing'];
}

/**
 * A secret that may change while the console runs. It is read again at each use, so a new secret makes all old cookies
 * invalid.
 */
export interface Token {
  reveal(): string;
}

export interface ConsoleConfig {
  /** The SQLite file that contains the chat's rooms and messages. Its folder must exist. */
  readonly file: string;
  /** Folder for the bytes of uploaded files. If absent, `<file>.files`. */
  readonly filesFolder?: string;
  readonly people: readonly ConsolePerson[];
  /** Name by which people mention the bridge to ask the room's default agent. */
  readonly botName: string;
  readonly defaultAgent: string;
  /** Token that the page asks for at sign-in. If absent, everyone who can reach the console can use it. */
  readonly token?: Token;
  /**
   * Host names under which people may reach the console: `localhost` (any port) or `chat.example.org:8443` (only that
   * port).
   */
  readonly allowedHosts: readonly string[];
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
