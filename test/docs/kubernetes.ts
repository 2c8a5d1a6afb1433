/** Reads `docs/kubernetes.yaml`, and gives its container a temporary folder in place of the mounted folders. */

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { TypeMeta } from '@kubernetes-models/base';
import type { IDeployment } from 'kubernetes-models/apps/v1/Deployment';
import type { IIngress } from 'kubernetes-models/networking.k8s.io/v1/Ingress';
import type { INetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import type { IPodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import type { IConfigMap } from 'kubernetes-models/v1/ConfigMap';
import type { INamespace } from 'kubernetes-models/v1/Namespace';
import type { IService } from 'kubernetes-models/v1/Service';
import { parseAllDocuments } from 'yaml';

interface Kinds {
  readonly Namespace: INamespace;
  readonly ConfigMap: IConfigMap;
  readonly Deployment: IDeployment;
  readonly Service: IService;
  readonly PodDisruptionBudget: IPodDisruptionBudget;
  readonly NetworkPolicy: INetworkPolicy;
  readonly Ingress: IIngress;
}

const text = readFileSync(new URL('../../docs/kubernetes.yaml', import.meta.url), 'utf8');

/** All documents of the file. */
export const documents = parseAllDocuments(text, { uniqueKeys: true }).map((each): TypeMeta => each.toJS());

/** Returns the document of a kind. Its type was not checked; test/docs/kubernetes.test.ts checks it. */
export function documentOf<Kind extends keyof Kinds>(kind: Kind): Kinds[Kind] {
  const found = documents.find((each) => each.kind === kind);
  if (found === undefined) throw new Error(`docs/kubernetes.yaml has no ${kind}.`);
  return found as Kinds[Kind];
}

/** Returns the pod of the Deployment, and its only container. */
export function podOf(deployment: IDeployment = documentOf('Deployment')) {
  const pod = deployment.spec?.template.spec;
  const container = pod?.containers[0];
  if (pod === undefined || container === undefined) throw new Error('The Deployment has no container.');
  return { pod, container };
}

/** Variables of the container, by name. */
export const variablesOf = (): Readonly<Record<string, string>> =>
  Object.fromEntries((podOf().container.env ?? []).map(({ name, value = '' }) => [name, value]));

export const settingsText = (): string => documentOf('ConfigMap').data?.['parley.yaml'] ?? '';

export const SECRETS = '/run/secrets/parley';

/** Returns the paths of all secrets that the container reads. */
export function secretPaths(): readonly string[] {
  const readBy = [settingsText(), ...Object.values(variablesOf())].join('\n');
  return [...new Set([...readBy.matchAll(new RegExp(`${SECRETS}/[\\w.-]+`, 'g'))].map(([path]) => path))];
}

/**
 * Writes the ConfigMap and the secrets into a temporary folder. Returns the container's variables, which name the files
 * there.
 * @param contents contents of secrets by file name; another secret contains its own name and random-looking letters
 * @param change returns another content of parley.yaml
 */
export function mounted(
  contents: Readonly<Record<string, string>> = {},
  change: (settings: string) => string = (settings) => settings,
) {
  const folder = mkdtempSync(join(tmpdir(), 'parley-mounted-'));
  mkdirSync(join(folder, 'secrets'));
  for (const path of secretPaths()) {
    const name = basename(path);
    writeFileSync(join(folder, 'secrets', name), `${contents[name] ?? `${name} of the test, long enough`}\n`);
  }
  const placed = (given: string) =>
    given.replaceAll(SECRETS, join(folder, 'secrets')).replaceAll('/run/configs', folder);
  writeFileSync(join(folder, 'parley.yaml'), change(placed(settingsText())));
  return {
    folder,
    environment: Object.fromEntries(
      Object.entries(variablesOf()).map(([name, value]) => [name, placed(value)]),
    ),
    remove: () => rmSync(folder, { recursive: true }),
  };
}
