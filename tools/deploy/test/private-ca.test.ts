import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { domainServices, serviceNames } from '../../launcher/settings/services.ts';

const kubernetes = join(import.meta.dirname, '..', '..', '..', 'deploy', 'kubernetes');

interface Mounting {
  volumeMounts?: { name: string; mountPath: string; readOnly?: boolean }[];
}
interface Manifest {
  kind: string;
  metadata: { name: string };
  spec: {
    template: {
      spec: {
        containers: Mounting[];
        initContainers?: Mounting[];
        volumes: { name: string; secret?: { secretName: string } }[];
      };
    };
  };
}
interface Patch {
  target: { kind: string; name?: string };
  patch: string;
}

/** The manifests with the component's patches, as kustomize applies them: the path of a patch has to exist. */
async function patched(): Promise<Manifest[]> {
  const files = (await readdir(kubernetes)).filter((name) => name.endsWith('.yaml'));
  const texts = await Promise.all(files.map((name) => readFile(join(kubernetes, name), 'utf8')));
  const manifests = texts.flatMap((text) => parseAllDocuments(text).map((one) => one.toJS() as Manifest));
  const component = parse(await readFile(join(kubernetes, 'private-ca', 'kustomization.yaml'), 'utf8'));
  for (const { target, patch } of component.patches as Patch[]) {
    const targets = manifests.filter(
      ({ kind, metadata }) =>
        kind === target.kind && new RegExp(`^(${target.name ?? '.*'})$`).test(metadata.name),
    );
    expect(targets.length, JSON.stringify(target)).toBeGreaterThan(0);
    for (const manifest of targets)
      for (const { path, value } of parse(patch) as { path: string; value: unknown }[])
        add(manifest, path.slice(1).split('/'), value);
  }
  return manifests;
}

function add(into: object, [name = '', ...rest]: string[], value: unknown): void {
  const place = into as Record<string, unknown>;
  if (rest.length > 0) {
    expect(place[name], name).toBeInstanceOf(Object);
    add(place[name] as object, rest, value);
  } else if (Array.isArray(place)) place.push(structuredClone(value));
  else {
    expect(place[name], `${name} is replaced`).toBeUndefined();
    place[name] = structuredClone(value);
  }
}

test('the component private-ca mounts the authority wherever Postgres or NATS is connected to', async () => {
  const manifests = await patched();
  const find = (kind: string, name: RegExp) =>
    manifests.find((one) => one.kind === kind && name.test(one.metadata.name))!.spec.template.spec;
  const ca = { name: 'ca', mountPath: '/etc/botyard-ca', readOnly: true };
  const pods = [
    ...serviceNames.map((name) => find('Deployment', new RegExp(`^${name}$`))),
    find('Job', /^migrate-/),
  ];
  for (const { containers, volumes } of pods) {
    expect(volumes).toContainEqual({ name: 'ca', secret: { secretName: 'botyard-ca' } });
    expect(containers[0]?.volumeMounts).toContainEqual(ca);
  }
  for (const name of domainServices)
    expect(find('Deployment', new RegExp(`^${name}$`)).initContainers?.[0]?.volumeMounts).toEqual([ca]);
  const nats = find('StatefulSet', /^nats$/);
  expect(nats.volumes).toContainEqual({ name: 'tls', secret: { secretName: 'botyard-nats-tls' } });
  expect(nats.containers[0]?.volumeMounts?.map(({ mountPath }) => mountPath)).toContain('/etc/nats-tls');
});
