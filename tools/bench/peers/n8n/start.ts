import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { freePort } from '../../../embedded/free-port.ts';
import { botToken, webhookSecret } from '../../installation/bots.ts';
import type { WebhookTarget } from '../../load/messages.ts';
import type { Bench } from '../../part.ts';
import { fetchNpmPeer } from '../fetch/npm-peer.ts';
import { run } from '../fetch/run.ts';
import { startForeign } from '../foreign-process.ts';
import { botWorkflow, type Imported, webhookWorkflow } from './workflows.ts';

const readyWithinMs = 120_000;

interface N8n {
  pid: number;
  port: number;
  version: string;
  targets: WebhookTarget[];
  /** Returns the number of successful, stored executions of the workflow. */
  executions(): number;
  stop(): Promise<void>;
}

/** An installed n8n with a migrated database and a workflow that is active once n8n runs. */
export interface PreparedN8n {
  version: string;
  start(): Promise<N8n>;
}

export const startN8nWebhook = async (bench: Bench): Promise<N8n> =>
  await (await prepareN8n(bench, webhookWorkflow(webhookSecret))).start();

export const startN8nBot = async (
  bench: Bench,
  platforms: { messengerUrl: string; modelUrl: string },
): Promise<N8n> =>
  await (await prepareN8n(bench, botWorkflow({ ...platforms, botToken: botToken(999_997) }))).start();

export async function prepareN8n(
  bench: Bench,
  { workflow, credentials, target }: Imported,
): Promise<PreparedN8n> {
  const { dir, say, cleanup } = bench;
  const installed = await fetchNpmPeer('n8n', { natives: ['sqlite3'], say });
  const program = join(installed, 'node_modules', 'n8n', 'bin', 'n8n');
  const { version } = JSON.parse(
    await readFile(join(installed, 'node_modules', 'n8n', 'package.json'), 'utf8'),
  ) as { version: string };
  const home = join(dir, 'n8n');
  await mkdir(home, { recursive: true });
  const port = await freePort();
  const env = settings(home, port);
  const command = (...args: string[]) => run(process.execPath, [program, ...args], { cwd: home, env });
  say(`n8n ${version}: creating its database`);
  const [workflowFile, credentialsFile] = [join(home, 'workflow.json'), join(home, 'credentials.json')];
  await writeFile(workflowFile, JSON.stringify([workflow]));
  await writeFile(credentialsFile, JSON.stringify(credentials));
  await command('import:credentials', `--input=${credentialsFile}`);
  await command('import:workflow', `--input=${workflowFile}`);
  await command('publish:workflow', `--id=${workflow.id}`);
  const start = async (): Promise<N8n> => {
    const process_ = await startForeign({
      file: process.execPath,
      args: [program, 'start'],
      env,
      cwd: home,
      cleanup,
      isReady: () => isActive(port, target),
      readyWithinMs,
    });
    return {
      ...process_,
      port,
      version,
      targets: [target],
      executions: () => countExecutions(home, workflow.id),
    };
  };
  return { version, start };
}

/** The default settings, but without outside connections, and with the faster of the two expression engines. */
const settings = (home: string, port: number): Record<string, string> => ({
  NODE_ENV: 'production',
  HOME: home,
  N8N_USER_FOLDER: home,
  N8N_ENCRYPTION_KEY: 'bench-encryption-key',
  N8N_LISTEN_ADDRESS: '127.0.0.1',
  N8N_PORT: String(port),
  WEBHOOK_URL: `http://127.0.0.1:${port}/`,
  DB_TYPE: 'sqlite',
  N8N_EXPRESSION_ENGINE: 'legacy',
  N8N_DIAGNOSTICS_ENABLED: 'false',
  N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
  N8N_TEMPLATES_ENABLED: 'false',
  N8N_PERSONALIZATION_ENABLED: 'false',
  N8N_LICENSE_AUTO_RENEW_ENABLED: 'false',
});

/** True if n8n is healthy and the workflow's webhook is active: it rejects a request instead of returning 404. */
async function isActive(port: number, { path }: WebhookTarget): Promise<boolean> {
  try {
    const at = `http://127.0.0.1:${port}`;
    const health = await fetch(`${at}/healthz/readiness`, { signal: AbortSignal.timeout(2000) });
    await health.arrayBuffer();
    if (!health.ok) return false;
    const headers = { 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body: '{}', signal: AbortSignal.timeout(2000) };
    const refused = await fetch(`${at}${path}`, init);
    await refused.arrayBuffer();
    return [401, 403].includes(refused.status);
  } catch {
    return false;
  }
}

function countExecutions(home: string, workflowId: string): number {
  const database = new DatabaseSync(join(home, '.n8n', 'database.sqlite'), { readOnly: true, timeout: 5000 });
  try {
    const text = `select count(*) as count from execution_entity where status = 'success' and workflowId = ?`;
    return Number(database.prepare(text).get(workflowId)?.count ?? Number.NaN);
  } finally {
    database.close();
  }
}
