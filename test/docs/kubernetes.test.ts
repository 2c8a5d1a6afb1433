/**
 * Tests `docs/kubernetes.yaml` of docs/kubernetes.md against Kubernetes' schema and against Parley. No cluster runs here, so
 * test/e2e/kubernetes.test.ts starts the bridge as the container would.
 */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { Ingress } from 'kubernetes-models/networking.k8s.io/v1/Ingress';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { ConfigMap } from 'kubernetes-models/v1/ConfigMap';
import { Namespace } from 'kubernetes-models/v1/Namespace';
import { Service } from 'kubernetes-models/v1/Service';
import { describe, expect, it } from 'vitest';
import { channels } from '../../adapters/registry.ts';
import { variables } from '../../src/config/environment.ts';
import { loadConfig } from '../fakes/load-config.ts';
import {
  documentOf,
  documents,
  mounted,
  podOf,
  SECRETS,
  secretPaths,
  settingsText,
  variablesOf,
} from './kubernetes.ts';

const root = new URL('../../', import.meta.url).pathname;
const page = readFileSync(`${root}docs/kubernetes.md`, 'utf8');
const dockerfile = readFileSync(`${root}Dockerfile`, 'utf8');
const classes = { Namespace, ConfigMap, Deployment, Service, PodDisruptionBudget, NetworkPolicy, Ingress };
const { pod, container } = podOf();

describe("Kubernetes' schema", () => {
  it('accepts all documents', () => {
    expect(documents.map(({ kind }) => kind)).toEqual(Object.keys(classes));
    for (const [kind, Model] of Object.entries(classes))
      expect(() =>
        Reflect.construct(Model, [documents.find((each) => each.kind === kind)]).validate(),
      ).not.toThrow();
  });

  it('refuses a wrong format', () => {
    const deployment = structuredClone(documentOf('Deployment'));
    podOf(deployment).container.resources = { limits: { memory: 'a lot' } };
    expect(() => new Deployment(deployment).validate()).toThrow(/memory/);
  });

  /** Checks the documents as literals of Kubernetes' types, which refuse unknown fields. Returns the faults. */
  const typeFaults = (all: readonly object[]): string => {
    const folder = mkdtempSync(join(tmpdir(), 'parley-kubernetes-'));
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    const lines = all.map((each, at) => {
      const { apiVersion, kind } = Object(each);
      const type = `import('kubernetes-models/${apiVersion}/${kind}').I${kind}`;
      return `export const document${at}: ${type} = ${JSON.stringify(each)};\n`;
    });
    writeFileSync(join(folder, 'documents.ts'), lines.join(''));
    const options = ['--module', 'nodenext', '--strict', '--noEmit', '--skipLibCheck', '--types', 'node'];
    const tsc = [join(root, 'node_modules/typescript/bin/tsc'), ...options, 'documents.ts'];
    const { stdout } = spawnSync(process.execPath, tsc, { cwd: folder, encoding: 'utf8' });
    rmSync(folder, { recursive: true });
    return stdout;
  };

  it('knows every field, and refuses an unknown one', () => {
    expect(typeFaults(documents)).toBe('');
    const deployment = structuredClone(documentOf('Deployment'));
    Object.assign(podOf(deployment).container, { readinesProbe: {} });
    expect(typeFaults([deployment])).toContain('readinesProbe');
  }, 60_000);
});

describe('the documents fit together', () => {
  const labels = documentOf('Deployment').spec?.template.metadata?.labels;

  it('in one namespace, by the same labels and ports', () => {
    const namespace = documentOf('Namespace').metadata?.name;
    const others = documents.filter(({ kind }) => kind !== 'Namespace');
    for (const each of others) expect(each).toMatchObject({ metadata: { namespace } });
    const selectors = [
      documentOf('Deployment').spec?.selector.matchLabels,
      documentOf('Service').spec?.selector,
      documentOf('PodDisruptionBudget').spec?.selector?.matchLabels,
      documentOf('NetworkPolicy').spec?.podSelector?.matchLabels,
      pod.topologySpreadConstraints?.[0]?.labelSelector?.matchLabels,
    ];
    for (const each of selectors) expect(each).toEqual(labels);
    const { name } = container.ports?.[0] ?? {};
    const { startupProbe, livenessProbe, readinessProbe } = container;
    for (const probe of [startupProbe, livenessProbe, readinessProbe])
      expect(probe?.httpGet?.port).toBe(name);
    expect(documentOf('Service').spec?.ports?.[0]?.targetPort).toBe(name);
    expect(documentOf('NetworkPolicy').spec?.ingress?.[0]?.ports?.[0]?.port).toBe(name);
    const { rules = [], tls = [] } = documentOf('Ingress').spec ?? {};
    for (const { host } of rules) expect(tls.flatMap(({ hosts = [] }) => hosts)).toContain(host);
    for (const { backend } of rules.flatMap(({ http }) => http?.paths ?? []))
      expect(backend.service).toEqual({
        name: documentOf('Service').metadata?.name,
        port: { name: documentOf('Service').spec?.ports?.[0]?.name },
      });
  });

  it('mounts what the variables name, without rights to write', () => {
    const mounts = container.volumeMounts ?? [];
    const readable = mounts.filter(({ readOnly }) => readOnly).map(({ mountPath }) => mountPath);
    const named = Object.entries(variablesOf()).filter(([name]) => /_(FILE|CONFIG)$/.test(name));
    for (const [, path] of named) expect(readable).toContain(dirname(path));
    expect(readable).toContain(SECRETS);
    for (const [path] of settingsText().matchAll(/\/run\/[\w./-]+/g))
      expect(readable).toContain(dirname(path));
    for (const { name } of mounts) expect(pod.volumes?.map((each) => each.name)).toContain(name);
    // Kubernetes does not update a file that is mounted alone, so that a new secret would not arrive.
    expect(mounts.filter(({ subPath }) => subPath !== undefined)).toEqual([]);
  });

  it('lets the pod run where Kubernetes allows only restricted pods', () => {
    expect(documentOf('Namespace').metadata?.labels).toHaveProperty(
      ['pod-security.kubernetes.io/enforce'],
      'restricted',
    );
    expect(pod.securityContext).toMatchObject({
      runAsNonRoot: true,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
  });
});

describe('Parley', () => {
  it('has this user, port and data folder in its image', () => {
    expect(dockerfile).toContain(`USER ${pod.securityContext?.runAsUser}:${pod.securityContext?.runAsGroup}`);
    expect(dockerfile).toContain(`EXPOSE ${container.ports?.[0]?.containerPort}`);
    const writable = container.volumeMounts?.filter(({ readOnly }) => !readOnly) ?? [];
    expect(dockerfile).toContain(`PARLEY_DATA=${writable.map(({ mountPath }) => mountPath).join()} `);
    expect(pod.securityContext?.fsGroup).toBe(pod.securityContext?.runAsGroup);
  });

  const given = () => {
    const ids = { 'microsoft-app-id': ID, 'microsoft-app-tenant-id': ID };
    return mounted({ 'database-url': DATABASE, ...ids });
  };

  it('accepts the settings and knows every variable', () => {
    const known = variables(channels).map(({ name }) => `${name}_FILE`);
    const names = Object.keys(variablesOf()).filter((name) => name !== 'PARLEY_CONFIG');
    expect(names.filter((name) => !known.includes(name))).toEqual([]);
    const { folder, environment, remove } = given();
    try {
      const loaded = loadConfig({ environment, channels });
      const isOn = Object.fromEntries(loaded.channels.map((each) => [each.channel.name, each.isOn]));
      expect(isOn).toEqual({ slack: true, teams: true, console: false });
      expect(loaded.embedded).toBe(false);
      expect(loaded.config.server.publicUrl).toBe(`https://${documentOf('Ingress').spec?.rules?.[0]?.host}`);
      expect(loaded.file).toBe(join(folder, 'parley.yaml'));
    } finally {
      remove();
    }
  });

  it.each(secretPaths())('reads %s', (path) => {
    const { folder, environment, remove } = given();
    try {
      writeFileSync(join(folder, 'secrets', basename(path)), ' ');
      expect(() => loadConfig({ environment, channels })).toThrow(basename(path));
    } finally {
      remove();
    }
  });

  it('gets enough time to end, after the load balancer has learned of it', () => {
    const wait = container.lifecycle?.preStop?.exec?.command?.at(-1) ?? '';
    const seconds = Number(/, ([\d_]+)\)/.exec(wait)?.[1]?.replace('_', '')) / 1_000;
    expect(seconds).toBeGreaterThan(0);
    // Running answers get 20 s, and open requests 2 s more.
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(seconds + 22);
  });
});

describe('the page', () => {
  it('lists the files of all secrets', () => {
    const rows = [...page.matchAll(/^ *\| (`[a-z-]+`(?:, `[a-z-]+`)*) \| /gm)].flatMap(([, names = '']) =>
      [...names.matchAll(/[a-z-]+/g)].map(String),
    );
    const read = secretPaths().map((path) => basename(path));
    expect(rows.filter((name) => name !== 'database-url').length).toBeGreaterThan(5);
    expect(read.filter((name) => !rows.includes(name))).toEqual([]);
  });

  it('names the objects of the manifest in its commands', () => {
    const namespace = documentOf('Namespace').metadata?.name;
    const named = [...page.matchAll(/deployment\/(\w+)/g)].map(([, name]) => name);
    expect(new Set(named)).toEqual(new Set([documentOf('Deployment').metadata?.name]));
    const secret = pod.volumes?.find((each) => each.secret !== undefined)?.secret?.secretName;
    expect(page).toContain(`create secret generic ${secret} -n ${namespace} --from-file=secrets`);
    expect(page).toContain(`terminationGracePeriodSeconds: ${pod.terminationGracePeriodSeconds}`);
  });
});

const ID = '00000000-0000-4000-8000-000000000001';
const DATABASE = 'postgres://parley:word@db.example.test:5432/parley?sslmode=verify-full';
