/** Differences of one deployment from the documents where those leave a choice. */
export interface Deployment {
  /** Its word for the identity provider (platform contract GEN-15). */
  readonly idpWord: string;
  /** Its names of the messaging account, in the lite interface and in the Open API (platform contract GEN-15). */
  readonly chatAccountField: { readonly lite: string; readonly open: string };
  /** Place of the ids in deletions by id (platform contract WSP-4). */
  readonly idsIn: 'body' | 'query';
  /** True if workspace types are switched one by one, by `id` (platform contract WST-5). */
  readonly enableById: boolean;
  /** True if file details are requested with an empty JSON object as the body (platform contract MED-4). */
  readonly getDetailBody: boolean;
  /** Prefix of the lite administration, such as `/webapi`; absent tries both (platform contract ADM-1). */
  readonly liteAdminPrefix?: string;
}

export const documentedDeployment: Deployment = {
  idpWord: 'idp',
  chatAccountField: { lite: 'chat_account', open: 'chatAccount' },
  idsIn: 'body',
  enableById: false,
  getDetailBody: false,
};

/** A name on the wire with the deployment's words in it. */
export function worded(name: string, { idpWord, chatAccountField }: Deployment): string {
  if (!name.includes('{')) return name;
  return name
    .replace('{idpWord}', idpWord)
    .replace('{IdpWord}', idpWord.charAt(0).toUpperCase() + idpWord.slice(1))
    .replace('{chat_account}', chatAccountField.lite)
    .replace('{chatAccount}', chatAccountField.open);
}

/** The operator's settings for the deployment; absent members are as documented. */
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
