/** Properties of one deployment that the platform's documentation leaves open. */
export interface Deployment {
  /** The deployment's word for the identity provider (platform contract GEN-15). */
  readonly idpWord: string;
  /**
   * Names of the field that contains the messaging account, in the lite interface and in the Open API (platform
   * contract GEN-15).
   */
  readonly chatAccountField: { readonly lite: string; readonly open: string };
  /** Where a deletion sends the ids of the items (platform contract WSP-4). */
  readonly idsIn: 'body' | 'query';
  /**
   * True if the deployment enables or disables only one workspace type per request, by `id` (platform contract
   * WST-5).
   */
  readonly enableById: boolean;
  /** True if the request for file details must have an empty JSON object as its body (platform contract MED-4). */
  readonly getDetailBody: boolean;
  /**
   * Path prefix of the administrative operations of the lite interface, such as `/webapi`. If absent, the client tries
   * both without a prefix and with `/webapi` (platform contract ADM-1).
   */
  readonly liteAdminPrefix?: string;
}

export const documentedDeployment: Deployment = {
  idpWord: 'idp',
  chatAccountField: { lite: 'chat_account', open: 'chatAccount' },
  idsIn: 'body',
  enableById: false,
  getDetailBody: false,
};

/** Replaces the placeholders in a wire name with the deployment's words. */
export function worded(name: string, { idpWord, chatAccountField }: Deployment): string {
  if (!name.includes('{')) return name;
  return name
    .replace('{idpWord}', idpWord)
    .replace('{IdpWord}', idpWord.charAt(0).toUpperCase() + idpWord.slice(1))
    .replace('{chat_account}', chatAccountField.lite)
    .replace('{chatAccount}', chatAccountField.open);
}

/** The operator's settings for the deployment. An absent setting has its documented value. */
export type DeploymentOptions = { readonly [Name in keyof Deployment]?: Deployment[Name] | undefined };

export function deploymentOf(options: DeploymentOptions): Deployment {
  const { liteAdminPrefix } = options;
  return {
    idpWord: options.idpWord ?? documentedDeployment.idpWord,
    chatAccountField: options.chatAccountField ?? documentedDeployment.chatAccountField,
    idsIn: options.idsIn ?? documentedDeployment.idsIn,
    enableById: options.enableById ?? documentedDeployment.enableById,
    getDetailBody: options.getDetailBody ?? documentedDeployment.getDetailBody,
    ...(liteAdminPrefix !== undefined && { liteAdminPrefix }),
  };
}
