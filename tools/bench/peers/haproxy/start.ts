import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../../../embedded/free-port.ts';
import type { Bench } from '../../part.ts';
import type { GatewayWiring } from '../fastify/start.ts';
import { fetchDebianProgram } from '../fetch/debian-program.ts';
import { isListening, startForeign } from '../foreign-process.ts';

const packages = ['haproxy', 'liblua5.3-0', 'libopentracing-c-wrapper0', 'libopentracing1'];

/** Starts HAProxy with one thread. It verifies each token (RS256) with `jwt_verify`. */
export async function startHaproxy(
  { cleanup, dir, say }: Bench,
  wiring: GatewayWiring,
): Promise<{ pid: number; port: number; version: string }> {
  const program = await fetchDebianProgram({ name: 'haproxy', packages });
  say(`HAProxy ${program.version}`);
  const home = join(dir, 'haproxy');
  await mkdir(home, { recursive: true });
  const [port, keyFile, configFile] = [await freePort(), join(home, 'key.pem'), join(home, 'haproxy.cfg')];
  await writeFile(keyFile, wiring.publicKey);
  await writeFile(configFile, config({ ...wiring, port, keyFile }));
  const { pid } = await startForeign({
    file: program.file,
    // -db: run one process in the foreground.
    args: ['-db', '-f', configFile],
    env: program.env,
    cwd: home,
    cleanup,
    isReady: () => isListening(port),
  });
  return { pid, port, version: program.version };
}

const config = ({
  port,
  keyFile,
  issuer,
  upstreamPort,
}: GatewayWiring & { port: number; keyFile: string }): string => `global
  nbthread 1
defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
  http-reuse always
frontend gate
  bind 127.0.0.1:${port}
  http-request set-var(txn.token) http_auth_bearer
  http-request deny deny_status 401 unless { var(txn.token) -m found }
  http-request set-var(txn.alg) var(txn.token),jwt_header_query('$.alg')
  http-request set-var(txn.iss) var(txn.token),jwt_payload_query('$.iss')
  http-request set-var(txn.exp) var(txn.token),jwt_payload_query('$.exp','int')
  http-request set-var(txn.left) date(),neg,add(txn.exp)
  http-request deny deny_status 401 unless { var(txn.alg) -m str RS256 }
  http-request deny deny_status 401 unless { var(txn.iss) -m str ${issuer} }
  http-request deny deny_status 401 unless { var(txn.left) -m int gt 0 }
  http-request deny deny_status 401 unless { var(txn.token),jwt_verify(txn.alg,"${keyFile}") -m int 1 }
  http-request set-header x-user %[var(txn.token),jwt_payload_query('$.sub')]
  default_backend upstream
backend upstream
  server upstream 127.0.0.1:${upstreamPort}
`;
