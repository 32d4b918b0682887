import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv, promisify } from 'node:util';
import { servicesWithSchema } from '@botyard/shared/db/migrate';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { serviceNames } from '../../launcher/settings/services.ts';
import { schemas } from '../settings-of.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const kubernetes = join(root, 'deploy', 'kubernetes');

interface Container {
  name: string;
  image: string;
  args: string[];
  env?: { name: string; value?: string; valueFrom?: { configMapKeyRef: { name: string; key: string } } }[];
  envFrom?: { secretRef: { name: string } }[];
  ports?: { name: string; containerPort: number }[];
  readinessProbe?: { httpGet: { path: string; port: string } };
  securityContext: unknown;
  resources?: { requests: { memory: string }; limits: { memory: string } };
  volumeMounts?: { mountPath: string; readOnly?: boolean }[];
}
interface Manifest {
  kind: string;
  metadata: { name: string };
  data?: Record<string, string>;
  spec?: {
    template?: {
      spec: { containers: Container[]; initContainers?: Container[]; securityContext: { runAsUser: number } };
    };
    ports?: { name: string; port: number; targetPort: string }[];
  };
}
interface ComposeService {
  image: string;
  command: string[];
  environment?: Record<string, string>;
  read_only?: boolean;
  cap_drop?: string[];
  ports?: string[];
  volumes: (string | { target: string; volume: { subpath: string } })[];
}

interface NatsCluster {
  listen: string;
  authorization: { user: string; password: string };
  tls: { cert_file: string; key_file: string; ca_file: string; verify: boolean };
  routes: string[];
}

let manifests: Manifest[];
let compose: { services: Record<string, ComposeService> };
let written: Record<string, Record<string, string>>;
let version: string;
let nats: { cluster: NatsCluster };
let directory: string;

afterAll(() => rm(directory, { recursive: true, force: true }));

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'botyard-settings-'));
  const files = (await readdir(kubernetes, { recursive: true })).filter((name) => name.endsWith('.yaml'));
  const texts = await Promise.all(files.map((name) => readFile(join(kubernetes, name), 'utf8')));
  manifests = texts.flatMap((text) => parseAllDocuments(text).map((document) => document.toJS() as Manifest));
  compose = parse(await readFile(join(root, 'docker-compose.yml'), 'utf8'), { merge: true });
  version = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')).version;
  written = await writtenSettings();
});

/** The settings files for a cluster, as `node` and `kubectl` read them. */
async function writtenSettings(): Promise<Record<string, Record<string, string>>> {
  await promisify(execFile)(process.execPath, [join(root, 'tools/deploy/main.ts'), 'settings'], {
    env: {
      SETTINGS_DIR: directory,
      DATABASE_URL: 'postgresql://owner:secret@postgres/botyard',
      NATS_URL: 'nats://nats:4222',
      NATS_REPLICAS: '3',
      NODE_ENV: 'production',
      IDP_ISSUER: 'https://idp.example',
      PATH: process.env.PATH,
    },
  });
  const read = async (name: string) =>
    parseEnv(await readFile(join(directory, name, 'env'), 'utf8')) as Record<string, string>;
  nats = JSON.parse(await readFile(join(directory, 'nats', 'nats-server.json'), 'utf8'));
  return Object.fromEntries(await Promise.all(serviceNames.map(async (name) => [name, await read(name)])));
}

const find = (kind: string, name: string): Manifest => {
  const manifest = manifests.find((one) => one.kind === kind && one.metadata.name === name);
  if (!manifest) throw new Error(`there is no ${kind} ${name}`);
  return manifest;
};
const podOf = (service: string) => find('Deployment', service).spec!.template!.spec;
const containerOf = (service: string) => podOf(service).containers[0]!;

/** The environment that a pod's container starts with. */
function podEnv(service: string): Record<string, string> {
  const own = (containerOf(service).env ?? []).map(({ name, value, valueFrom }) => {
    const { name: map = '', key = '' } = valueFrom?.configMapKeyRef ?? {};
    return [name, value ?? find('ConfigMap', map).data?.[key] ?? ''];
  });
  return { ...written[service], ...Object.fromEntries(own) };
}

describe.each(serviceNames)('%s in compose and Kubernetes', (service) => {
  test('runs the same command, of a file that exists', async () => {
    const file = `services/${service}/src/main.ts`;
    expect(containerOf(service).args).toEqual([file]);
    expect(compose.services[service]?.command).toEqual(['--env-file=/run/settings/env', file]);
    await readFile(join(root, file));
  });

  test('reads every setting that it is given, and is given every one that it needs', () => {
    const env = podEnv(service);
    expect(Object.keys(env).filter((name) => !(name in schemas[service].shape))).toEqual([]);
    expect(schemas[service].safeParse(env).error).toBeUndefined();
    expect(containerOf(service).envFrom).toEqual([{ secretRef: { name: `botyard-${service}` } }]);
    // In compose the written file is the only source.
    expect(compose.services[service]?.environment).toBeUndefined();
  });

  test("writes to mounted folders only, as the image's user, without rights", () => {
    expect(podOf(service).securityContext.runAsUser).toBe(1000);
    expect(containerOf(service).securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(compose.services[service]).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
    const spool = written[service]?.MAIL_SPOOL_DIR;
    const inPod = (containerOf(service).volumeMounts ?? []).map(({ mountPath }) => mountPath);
    expect(inPod).toEqual(['/tmp', ...(spool ? [spool] : [])]);
    const inCompose = compose.services[service]?.volumes.map((volume) =>
      typeof volume === 'string' ? volume.split(':')[1] : volume.target,
    );
    expect(inCompose).toEqual(['/run/settings', ...(spool ? [spool] : [])]);
  });

  test('listens where its probes, its service and the others look', () => {
    const port = Number(written[service]?.SERVICE_PORT);
    const { ports = [], readinessProbe } = containerOf(service);
    expect(ports.find(({ name }) => name === 'internal')?.containerPort).toBe(port);
    expect(readinessProbe?.httpGet).toEqual({
      // Without NATS every service still answers: none may be taken out for that.
      path: service === 'gateway' ? '/readyz' : '/readyz?exclude=bus,messages',
      port: 'internal',
    });
    expect(find('Service', service).spec?.ports).toContainEqual({
      name: 'internal',
      port,
      targetPort: 'internal',
    });
    if (service !== 'gateway')
      expect(written.gateway?.[`${service.toUpperCase()}_URL`]).toBe(`http://${service}:${port}`);
  });
});

test.each(servicesWithSchema)('%s starts after the migrations of its version', (service) => {
  expect(podOf(service).initContainers?.map(({ args }) => args)).toEqual([
    ['tools/deploy/main.ts', 'migrated', service],
  ]);
});

test.each(serviceNames)(
  '%s asks for more memory than it was seen to have, and may have twice that',
  async (service) => {
    const page = await readFile(join(root, 'docs', 'operations.md'), 'utf8');
    const row =
      new RegExp(`^\\| ${service} +\\| (\\d+) MiB +\\| (\\d+)Mi +\\| (\\d+)Mi +\\|$`, 'm').exec(page) ?? [];
    const [measured = 0, request = 0, limit = 0] = row.slice(1).map(Number);
    expect(containerOf(service).resources).toMatchObject({
      requests: { memory: `${request}Mi` },
      limits: { memory: `${limit}Mi` },
    });
    expect(request).toBeGreaterThan(measured);
    expect(limit).toBeGreaterThanOrEqual(2 * measured);
  },
);

test('the public port is the same in the image, compose and Kubernetes', () => {
  const port = Number(written.gateway?.PORT);
  expect(containerOf('gateway').ports).toContainEqual({ name: 'public', containerPort: port });
  expect(compose.services.gateway?.ports).toEqual([
    `\${BOTYARD_BIND:-127.0.0.1}:\${PORT:-${port}}:\${PORT:-${port}}`,
  ]);
});

test('the addresses of a trusted balancer are a setting of compose, the gateway and webhooks', () => {
  expect(compose.services.settings?.environment?.TRUSTED_PROXIES).toBe(`\${TRUSTED_PROXIES:-loopback}`);
  for (const service of ['gateway', 'webhooks'])
    expect(containerOf(service).env?.map(({ name }) => name)).toContain('TRUSTED_PROXIES');
});

test('each version has a migration job of its own name, and names the image by it', async () => {
  const kustomization = parse(await readFile(join(kubernetes, 'kustomization.yaml'), 'utf8'));
  expect(kustomization.images).toMatchObject([{ name: 'botyard', newTag: version }]);
  expect(manifests.filter(({ kind }) => kind === 'Job').map(({ metadata }) => metadata.name)).toEqual([
    `migrate-${version.replaceAll('.', '-')}`,
  ]);
});

test('Prometheus is let in to the internal port and told where it is', () => {
  const policy = find('NetworkPolicy', 'metrics') as { spec?: { ingress?: unknown } };
  const port = Number(written.gateway?.SERVICE_PORT);
  expect(policy.spec?.ingress).toMatchObject([{ ports: [{ port }] }]);
  const monitor = find('ServiceMonitor', 'botyard') as { spec?: { endpoints?: unknown } };
  expect(monitor.spec?.endpoints).toMatchObject([{ port: 'internal', path: '/metrics' }]);
});

describe('the nats-servers', () => {
  const stateful = () => find('StatefulSet', 'nats').spec as Manifest['spec'] & { replicas: number };

  test('join with a password and a certificate that is mounted, and by nothing on their command line', () => {
    const { listen, authorization, tls, routes } = nats.cluster;
    expect(listen).toBe('0.0.0.0:6222');
    expect(authorization.password).toMatch(/^[\w-]{32}$/);
    expect(tls.verify).toBe(true);
    const { args, volumeMounts = [] } = stateful().template!.spec.containers[0]!;
    expect(args.filter((arg) => arg.startsWith('--cluster') || arg.startsWith('--routes'))).toEqual([]);
    const mounted = volumeMounts.map(({ mountPath }) => mountPath);
    for (const file of [tls.cert_file, tls.key_file, tls.ca_file])
      expect(mounted).toContain(file.slice(0, file.lastIndexOf('/')));
    const pods = Array.from({ length: stateful().replicas }, (_, number) => `nats-${number}.nats-peers`);
    const { user, password } = authorization;
    expect(routes).toEqual(pods.map((host) => `nats://${user}:${password}@${host}:6222`));
  });

  test('are reached at the port of routes by each other alone', () => {
    const policies = manifests.filter(({ kind }) => kind === 'NetworkPolicy') as unknown as NetworkPolicy[];
    const labels = find('StatefulSet', 'nats').spec?.template as unknown as { metadata: { labels: Labels } };
    const forNats = policies.filter(({ spec }) => selects(spec.podSelector, labels.metadata.labels));
    const letIn = forNats.flatMap(({ spec }) => spec.ingress);
    // A rule without ports lets in to all of them.
    const toRoutes = letIn.filter(({ ports }) => !ports || ports.some(({ port }) => port === 6222));
    expect(toRoutes.map(({ from }) => from)).toEqual([
      [{ podSelector: { matchLabels: { 'app.kubernetes.io/name': 'nats' } } }],
    ]);
    const toClients = letIn.filter(({ ports }) => ports?.some(({ port }) => port === 4222));
    expect(toClients).toHaveLength(1);
  });
});

type Labels = Record<string, string>;
interface Selector {
  matchLabels?: Labels;
  matchExpressions?: { key: string; operator: 'In' | 'NotIn'; values: string[] }[];
}
interface NetworkPolicy {
  spec: { podSelector: Selector; ingress: { from?: unknown; ports?: { port: number }[] }[] };
}

const selects = ({ matchLabels = {}, matchExpressions = [] }: Selector, labels: Labels): boolean =>
  Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
  matchExpressions.every(
    ({ key, operator, values }) => values.includes(labels[key] ?? '') === (operator === 'In'),
  );
