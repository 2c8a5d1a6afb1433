import type { Secret } from '../../src/kit/ladder.ts';
import type { TeamsSettings } from './settings.ts';

/** A secret. It is never printed. It is read again at each use, because its file may change. */
type Revealed = Pick<Secret, 'reveal'>;

/** The bot's credential at Microsoft. */
export type TeamsCredential =
  | { readonly kind: 'password'; readonly password: Revealed }
  /** PEM texts of the certificate and its private key. */
  | { readonly kind: 'certificate'; readonly certificate: Revealed; readonly key: Revealed }
  /** User-assigned managed identity: Azure issues tokens to this machine without a secret. */
  | { readonly kind: 'managed-identity' };

/**
 * Names of clouds from Microsoft's SDK for Teams: the commercial cloud (which includes GCC), GCC High, DoD, and China
 * (21Vianet).
 */
export type CloudName = TeamsSettings['cloud'];

/** Settings that the adapter uses unchanged. */
type Adopted = Pick<
  TeamsSettings,
  'cloud' | 'name' | 'prompts' | 'streaming' | 'allMessages' | 'targeted' | 'extendedMarkdown'
>;

export interface TeamsConfig extends Readonly<Adopted> {
  readonly appId: string;
  /** The only tenant whose people may ask; requests of other tenants are refused. */
  readonly tenant: string;
  readonly credential: TeamsCredential;
  /** Address at which people's browsers reach the bridge, without a trailing slash. */
  readonly publicUrl?: string;
  /** Absent if single sign-on is off. */
  readonly singleSignOn?: SingleSignOn;
  /** Addresses that replace those of Microsoft's services. Set only by tests, to servers on this machine. */
  readonly services?: TeamsServices;
}

/** The app in Microsoft Entra for which people's clients get tokens. */
export interface SingleSignOn {
  /** Application ID URI: the resource that a client requests a token for. */
  readonly resource: string;
  /** Application (client) id. The audience of a valid token is this id or `resource`. */
  readonly application: string;
  /** Claims that may contain the person's name, in the order in which they are tried. */
  readonly nameClaims: readonly string[];
}

/** Addresses end without a slash; hosts include their ports. */
export type TeamsServices = {
  readonly [Name in keyof Services]: Readonly<Services[Name]>;
};

type Services = NonNullable<TeamsSettings['services']>;
