import type { Secret } from '../../src/kit/channel.ts';
import type { TeamsSettings } from './settings.ts';

/** Never printed; read each time it is used, because a secret kept in a file may change. */
type Revealed = Pick<Secret, 'reveal'>;

/** How the bridge proves to Microsoft that it is the bot. */
export type TeamsCredential =
  | { readonly kind: 'password'; readonly password: Revealed }
  /** PEM texts of the certificate and its private key. */
  | { readonly kind: 'certificate'; readonly certificate: Revealed; readonly key: Revealed }
  /** User-assigned managed identity: the machine it runs on is the proof. */
  | { readonly kind: 'managed-identity' };

/** Names of clouds in Microsoft's SDK for Teams: commercial with GCC, GCC High, DoD, and 21Vianet's in China. */
export type CloudName = TeamsSettings['cloud'];

/** The settings whose values the adapter uses as they are. */
type Adopted = Pick<
  TeamsSettings,
  'cloud' | 'name' | 'prompts' | 'streaming' | 'allMessages' | 'targeted' | 'extendedMarkdown'
>;

export interface TeamsConfig extends Readonly<Adopted> {
  readonly appId: string;
  /** The one tenant whose people may ask; requests of any other are refused. */
  readonly tenant: string;
  readonly credential: TeamsCredential;
  /** True if guests, and people of other organisations, may ask and press. */
  readonly guests: boolean;
  readonly external: boolean;
  /** The address under which people's browsers reach the bridge, without a slash at the end. */
  readonly publicUrl?: string;
  /** Addresses of Microsoft's services, for tests on loopback; absent: those of the cloud. */
  readonly services?: TeamsServices;
}

/** Addresses, without a slash at the end, and hosts with their ports. */
export type TeamsServices = {
  readonly [Name in keyof Services]: Readonly<Services[Name]>;
};

type Services = NonNullable<TeamsSettings['services']>;
