import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseEnv, promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { type ServiceName, serviceNames } from '../../launcher/settings/services.ts';
import { schemas } from '../settings-of.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const required = {
  DATABASE_URL: 'postgresql://postgres@postgres:5432/botyard',
  NATS_URL: 'nats://nats-0:4222,nats://nats-1:4222',
};

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'botyard-deploy-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const production = { NODE_ENV: 'production', IDP_ISSUER: 'https://idp.example' };

async function settings(env: Record<string, string> = production): Promise<string> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [join(root, 'tools/deploy/main.ts'), 'settings'],
    { env: { SETTINGS_DIR: directory, ...required, ...env } },
  );
  return stdout;
}
const textOf = (service: string) => readFile(join(directory, service, 'env'), 'utf8');
const envOf = async (service: string) => parseEnv(await textOf(service)) as Record<string, string>;

describe('the settings of an installation', () => {
  test('are all that each service asks for, and nothing that it does not read', async () => {
    await settings({
      ...production,
      OPENAI_API_KEY: 'sk-platform',
    });
    for (const service of serviceNames) {
      const env = await envOf(service);
      expect(schemas[service].safeParse(env).error, service).toBeUndefined();
      const strange = Object.keys(env).filter((name) => !(name in schemas[service].shape));
      expect(strange, service).toEqual([]);
    }
    expect(await envOf('gateway')).toMatchObject({ HOST: '0.0.0.0', AGENTS_URL: 'http://agents:8080' });
  });

  test('hand each secret to those alone who need it', async () => {
    await settings({
      ...production,
      OPENAI_API_KEY: 'sk-platform-canary',
      MAILER_API_KEY: 'mailer-canary',
      OBJECT_STORE_SECRET_ACCESS_KEY: 'object-store-canary',
    });
    const holders = async (text: string) => {
      const texts = await Promise.all(serviceNames.map(async (name) => [name, await textOf(name)] as const));
      return texts.filter(([, has]) => has.includes(text)).map(([name]) => name);
    };
    expect(await holders('sk-platform-canary')).toEqual(['keys']);
    const { IDENTITY_SIGNING_KEY, DATABASE_URL } = {
      ...(await envOf('agents')),
      ...(await envOf('gateway')),
    };
    expect(await holders(IDENTITY_SIGNING_KEY!)).toEqual(['gateway']);
    expect(await holders(new URL(DATABASE_URL!).password)).toEqual(['agents']);
    const { DATABASE_READER_URL } = await envOf('tenancy');
    expect(new URL(DATABASE_READER_URL!).username).toBe('botyard_reader');
    expect(await holders(new URL(DATABASE_READER_URL!).password)).toEqual(['tenancy']);
    expect(await holders('object-store-canary')).toEqual(['tenancy', 'webhooks', 'agents']);
    expect(await holders(await readFile(join(directory, 'postgres', 'password'), 'utf8'))).toEqual([]);
  });

  test('stay the same at every further start', async () => {
    await settings();
    const before = await Promise.all(serviceNames.map(textOf));
    await settings();
    expect(await Promise.all(serviceNames.map(textOf))).toEqual(before);
  });

  test('can be read by their owner alone', async () => {
    await settings();
    const files = (await readdir(directory, { recursive: true, withFileTypes: true })).filter((entry) =>
      entry.isFile(),
    );
    expect(files.length).toBeGreaterThan(serviceNames.length);
    for (const { parentPath, name } of files)
      expect((await stat(join(parentPath, name))).mode & 0o777, name).toBe(0o600);
  });

  test('G-13: are those of production where NODE_ENV is not set', async () => {
    await settings({ IDP_ISSUER: 'https://idp.example', SANDBOX_URL: 'http://sandbox:3002' });
    for (const service of serviceNames)
      expect(await envOf(service)).toMatchObject({ NODE_ENV: 'production' });
    expect(await envOf('gateway')).toMatchObject({ AUTH_DEV_MODE: 'false' });
    expect(await textOf('sandbox')).toBe('SANDBOX_PLATFORMS=\n');
  });

  test.each([{}, { NODE_ENV: '' }, { NODE_ENV: 'production' }, { NODE_ENV: 'staging', IDP_ISSUER: '' }])(
    'G-13: are refused without IDP_ISSUER in %j, and nothing is written',
    async (env) => {
      await expect(settings(env as Record<string, string>)).rejects.toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/^settings: IDP_ISSUER: [^\n]*no one can sign in[^\n]*\n$/),
      });
      expect(await readdir(directory)).toEqual([]);
    },
  );

  test('are refused together when services would refuse them, each with its name, and none is written', async () => {
    const refused = settings({ ...production, TRUSTED_PROXIES: 'everybody', OPENAI_BASE_URL: 'nowhere' });
    await expect(refused).rejects.toMatchObject({
      stderr: expect.stringMatching(
        /^settings: invalid settings: (?=.*TRUSTED_PROXIES: )(?=.*OPENAI_BASE_URL: ).*\n$/,
      ),
    });
    expect(await readdir(directory)).toEqual(['secrets.json']);
  });

  test.each(['production', ''])(
    'G-13: are refused with AUTH_DEV_MODE=true and NODE_ENV "%s"',
    async (NODE_ENV) => {
      await expect(settings({ ...production, NODE_ENV, AUTH_DEV_MODE: 'true' })).rejects.toMatchObject({
        stderr: expect.stringMatching(/^settings: [^\n]*AUTH_DEV_MODE[^\n]*\n$/),
      });
    },
  );

  test('carry no path of the machine that made them', async () => {
    await settings({ ...production, DATA_DIR: '/srv/maker/.data' });
    for (const service of serviceNames) expect(await textOf(service)).not.toContain('/srv/maker');
  });

  test.each(['0.0.0.0', '192.0.2.7', '::', 'bots.example'])(
    'of development mode are refused when the gateway is published at %s',
    async (BOTYARD_BIND) => {
      await expect(settings({ NODE_ENV: 'development', BOTYARD_BIND })).rejects.toMatchObject({
        stderr: expect.stringMatching(/^settings: BOTYARD_BIND: [^\n]*127\.0\.0\.1[^\n]*\n$/),
      });
    },
  );

  test('name the sandbox in development mode, and in no other', async () => {
    const sandbox = { SANDBOX_URL: 'http://sandbox:3002', PORT: '3001' };
    await settings({ NODE_ENV: 'development', ...sandbox });
    expect(await envOf('webhooks')).toMatchObject({
      MESSENGER_API_URL: 'http://sandbox:3002/messenger',
      WEBHOOK_BASE_URL: 'http://gateway:3001',
    });
    expect((await envOf('sandbox')).SANDBOX_PLATFORMS).toContain('messenger');
    expect(await envOf('gateway')).toMatchObject({
      AUTH_DEV_MODE: 'true',
      AUTH_DEV_MODE_PEERS: 'loopback,linklocal,uniquelocal',
      IDP_ISSUER: 'http://sandbox:3002/idp',
    });
    await settings({ ...production, ...sandbox });
    expect(await textOf('webhooks')).not.toContain('sandbox:3002');
    expect(await textOf('sandbox')).toBe('SANDBOX_PLATFORMS=\n');
    expect(await textOf('gateway')).not.toContain('AUTH_DEV_MODE_PEERS');
  });

  test('that a file can not hold end it with one line', async () => {
    await expect(settings({ ...production, OPENAI_API_KEY: 'sk-"quoted"' })).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^settings: OPENAI_API_KEY: [^\n]*\n$/),
    });
  });
});

interface Manifest {
  kind: string;
  metadata: { name: string };
  spec?: {
    template?: { spec: { containers: Container[]; [more: string]: unknown } };
    metrics?: { external?: { metric: { name: string } } }[];
  };
}
interface Container {
  args: string[];
  envFrom: { secretRef: { name: string } }[];
  readinessProbe: unknown;
  livenessProbe: unknown;
}

async function manifests(): Promise<Manifest[]> {
  const folder = join(root, 'deploy/kubernetes');
  const files = (await readdir(folder)).filter(
    (name) => name.endsWith('.yaml') && name !== 'kustomization.yaml',
  );
  const listed = parse(await readFile(join(folder, 'kustomization.yaml'), 'utf8')) as { resources: string[] };
  expect([...listed.resources].sort()).toEqual(files.sort());
  const texts = await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')));
  return texts.flatMap((text) => parseAllDocuments(text).map((document) => document.toJS() as Manifest));
}

describe('every service', () => {
  test.each(serviceNames)('%s has a deployment, a budget for disruptions and a scaler', async (service) => {
    const all = await manifests();
    const of = (kind: string) => all.find((one) => one.kind === kind && one.metadata.name === service);
    for (const kind of ['Deployment', 'Service', 'PodDisruptionBudget', 'HorizontalPodAutoscaler'])
      expect(of(kind), kind).toBeDefined();
  });

  test('agents are scaled by the conversations that wait, which operators are told how to serve', async () => {
    const scaler = (await manifests()).find(
      ({ kind, metadata }) => kind === 'HorizontalPodAutoscaler' && metadata.name === 'agents',
    );
    const name = scaler?.spec?.metrics?.find(({ external }) => external)?.external?.metric.name ?? '';
    expect(name).toBe('botyard_conversations_waiting');
    expect(await readFile(join(root, 'docs/operations.md'), 'utf8')).toContain(`as: ${name} }`);
  });

  test.each(serviceNames)(
    '%s is in the compose file, with its own settings and no others',
    async (service) => {
      const { services } = parse(await readFile(join(root, 'docker-compose.yml'), 'utf8'), {
        merge: true,
      }) as {
        services: Record<
          string,
          { command: string[]; volumes: (string | { volume: { subpath: string } })[] }
        >;
      };
      expect(services[service]?.command.at(-1)).toBe(`services/${service}/src/main.ts`);
      const settingsOfIt = services[service]?.volumes.filter((volume) => typeof volume !== 'string');
      expect(settingsOfIt?.map(({ volume }) => volume.subpath)).toEqual([service]);
    },
  );
});

test('the image has all packages that the services need, and the folder of every service', async () => {
  const dockerfile = await readFile(join(root, 'Dockerfile'), 'utf8');
  const workspaces: readonly (ServiceName | string)[] = serviceNames.map((name) => `services/${name}`);
  for (const workspace of ['libs/contracts', 'libs/shared', 'libs/words', ...workspaces])
    expect(dockerfile).toContain(`COPY ${workspace}/package.json ${workspace}/`);
});
