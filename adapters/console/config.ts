import type { Person } from '../../src/kit.ts';
import type { PersonView } from './wire.ts';

/** A person to speak as. The id has letters, digits, `-` and `_`. */
export interface ConsolePerson extends PersonView {
  readonly email?: string | undefined;
  /** `member` when absent. */
  readonly standing?: Person['standing'];
}

/** A secret that can change while the console runs. It is read on each use, so a change invalidates all old cookies. */
export interface Token {
  reveal(): string;
}

export interface ConsoleConfig {
  /** The SQLite file of the chat's rooms and messages. Its folder must exist. */
  readonly file: string;
  /** Folder for the bytes of shared files; absent: `<file>.files`. */
  readonly filesFolder?: string;
  readonly people: readonly ConsolePerson[];
  /** Name that people mention to ask the room's default agent. */
  readonly botName: string;
  readonly defaultAgent: string;
  /** True if guests (`guests`) and people of other organizations (`external`) may ask and press; absent: false. */
  readonly guests?: boolean;
  readonly external?: boolean;
  /** Token that the page asks for once; absent: everyone who can reach the console can use it. */
  readonly token?: Token;
  /** Names under which the console may be reached: `localhost` (any port) or `chat.example.org:8443` (that port). */
  readonly allowedHosts: readonly string[];
  /** True if the public address is https, so that browsers send the sign-in cookie over https only. */
  readonly secureCookies?: boolean;
  /** Addresses or networks of the proxies whose X-Forwarded-For is trusted; absent: none. */
  readonly trustedProxies?: readonly string[];
  /** The built page: a folder with `index.html` and `assets/`. */
  readonly pageFolder: string;
}

/** The people of a configuration that names none. */
export const defaultPeople: readonly ConsolePerson[] = [
  { id: 'engineer', name: 'Engineer', title: 'Builds things' },
  { id: 'designer', name: 'Designer', title: 'Shapes things' },
  { id: 'manager', name: 'Manager', title: 'Plans things' },
  { id: 'newcomer', name: 'New colleague', title: 'First week' },
];
