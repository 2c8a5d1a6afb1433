/** The part of oidc-provider that the tests use. The package has no types of its own. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  interface Grant {
    addOIDCScope(scope: string): void;
    save(): Promise<string>;
  }

  interface Context {
    readonly oidc: {
      readonly client?: { readonly clientId: string };
      readonly session?: {
        readonly accountId?: string;
        grantIdFor(clientId: string): string | undefined;
      };
      readonly provider: {
        readonly Grant: {
          new (of: { readonly clientId: string; readonly accountId: string }): Grant;
          find(id: string): Promise<Grant | undefined>;
        };
      };
    };
  }

  interface Configuration extends Readonly<Record<string, unknown>> {
    readonly interactions: { url(context: Context, interaction: { readonly uid: string }): string };
    findAccount(context: Context, id: string): { accountId: string; claims(): Promise<object> } | undefined;
    loadExistingGrant(context: Context): Promise<Grant>;
  }

  // biome-ignore lint/style/noDefaultExport: the package exports its class so
  export default class Provider {
    constructor(issuer: string, configuration: Configuration);
    /** True if a proxy in front ends TLS and says so in its headers. */
    proxy: boolean;
    on(
      event: 'grant.success',
      listener: (context: { readonly oidc: { readonly params: Record<string, unknown> } }) => void,
    ): void;
    callback(): (request: IncomingMessage, response: ServerResponse) => void;
    interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>;
  }
}
