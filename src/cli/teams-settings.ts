import type { TeamsConfig } from '../../adapters/registry.ts';
import type { Config } from '../config/schema.ts';

type TeamsSlice = Pick<Config, 'teams' | 'server' | 'access'>;

/** Teams' own slice of the configuration; nothing where Teams is off. */
export function teamsSettings({ teams, server, access }: TeamsSlice): TeamsConfig | undefined {
  if (teams === undefined || !teams.enabled) return undefined;
  const {
    cloud,
    appId,
    tenant,
    name,
    prompts,
    streaming,
    allMessages,
    targeted,
    extendedMarkdown,
    services,
  } = teams;
  const credential = credentialOf(teams);
  // The configuration refuses to be without them.
  if (appId === undefined || tenant === undefined || credential === undefined) return undefined;
  const publicUrl = server.publicUrl?.replace(/\/*$/, '');
  return {
    cloud,
    appId,
    tenant,
    credential,
    name,
    prompts,
    streaming,
    allMessages,
    targeted,
    extendedMarkdown,
    guests: access.guests,
    external: access.external,
    ...(publicUrl !== undefined && { publicUrl }),
    ...(services !== undefined && { services: withoutSlash(services) }),
  };
}

function credentialOf({ appType, password, certificate, certificateKey: key }: NonNullable<Config['teams']>) {
  if (appType === 'UserAssignedMSI') return { kind: 'managed-identity' } as const;
  if (password !== undefined) return { kind: 'password', password } as const;
  if (certificate === undefined || key === undefined) return undefined;
  return { kind: 'certificate', certificate, key } as const;
}

type Services = NonNullable<NonNullable<Config['teams']>['services']>;

function withoutSlash({ login, openId, graph, ...hosts }: Services): Services {
  const bare = (address: string) => address.replace(/\/*$/, '');
  return { login: bare(login), openId: bare(openId), graph: bare(graph), ...hosts };
}

const SIGN_IN = {
  password: 'a client secret',
  certificate: 'a certificate',
  'managed-identity': 'a managed identity',
} as const;

/** Whether Teams is on and how, in one line that ends a sentence. */
export function teamsLine(config: TeamsSlice): string {
  if (config.teams === undefined) return 'off, because none of its settings is set';
  const settings = teamsSettings(config);
  if (settings === undefined) return 'off, by teams.enabled';
  const { credential, publicUrl = '', tenant, cloud } = settings;
  const where = cloud === 'Public' ? '' : ` in the cloud ${cloud}`;
  return `on for the directory ${tenant}${where}, with ${SIGN_IN[credential.kind]}, at ${publicUrl}/api/messages`;
}
