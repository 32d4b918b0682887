import { randomBytes } from 'node:crypto';
import { generateIdentityKeys } from '@botyard/shared/auth/identity';
import { type FakeIdp, startFakeIdp } from '@botyard/testing/fake-idp';
import { upstreamNames } from '../../../services/gateway/src/domain/routing-table.ts';
import { freePorts } from '../../embedded/free-port.ts';
import type { Cleanup } from '../../rig/cleanup.ts';
import { startServiceProcess } from '../../rig/service-process.ts';
import { Recorder } from './recorder.ts';

export interface AttackedGateway {
  pid: number;
  port: number;
  recorders: readonly Recorder[];
  /** Invalid values for `Authorization`. */
  tokens: readonly string[];
}

/** Starts the gateway as a process with recorders as its services, so that no other code affects the results. */
export async function startAttackedGateway(
  cleanup: Cleanup,
  onFault: (fault: string, agent: string) => void,
): Promise<AttackedGateway> {
  const { signingKey, verifyKey } = await generateIdentityKeys();
  const [idp, recorders, [port = 0, servicePort = 0]] = await Promise.all([
    startFakeIdp(),
    Promise.all(upstreamNames.map((name) => Recorder.start(name, verifyKey, onFault))),
    freePorts(2),
  ]);
  await cleanup.add(async () => {
    for (const recorder of recorders) recorder.close();
    await idp.close();
  });
  const upstreams = upstreamNames.map((name, index) => [
    `${name.toUpperCase()}_URL`,
    `http://${recorders[index]?.address}`,
  ]);
  const env = {
    PATH: process.env.PATH,
    NODE_ENV: 'production',
    LOG_LEVEL: 'silent',
    PORT: String(port),
    IDENTITY_SIGNING_KEY: signingKey,
    IDP_ISSUER: idp.issuer,
    ...Object.fromEntries(upstreams),
  };
  const pid = await startServiceProcess('gateway', { env, port: servicePort, cleanup });
  return { pid, port, recorders, tokens: await tokensOfNobody(idp) };
}

async function tokensOfNobody(idp: FakeIdp): Promise<string[]> {
  const userId = 'user_1';
  const [forged, over, pending] = await Promise.all([
    idp.sessionToken({ userId, isForged: true }),
    idp.sessionToken({ userId, expiresInSeconds: -60 }),
    idp.sessionToken({ userId, claims: { sts: 'pending' } }),
  ]);
  const [head = '', claims = ''] = over.split('.');
  const strange = randomBytes(32).toString('base64url');
  const none = Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url');
  return [
    ...[
      `Bearer ${forged}`,
      `Bearer ${over}`,
      `Bearer ${pending}`,
      `Bearer ${none}.${claims}.`,
      `Bearer ${head}..`,
    ],
    ...[
      'Bearer',
      'Bearer ',
      'Bearer null',
      'Basic YTpi',
      `bearer\t${forged}`,
      'Bearer a b',
      '',
      `Bearer ${'a'.repeat(9000)}`,
    ],
    ...[`Bearer ${strange}`, `Bearer ${strange}, Bearer ${over}`],
  ];
}
