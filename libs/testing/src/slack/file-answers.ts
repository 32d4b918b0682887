/** Addresses of files. */
import type { Answer, Call } from '../fake/fake-server.ts';
import type { SlackApps } from './apps.ts';
import type { SlackWorld } from './world.ts';

/** Without a token that may read files, the platform shows its page for signing in. */
export function downloadFile(
  { apps, world }: { apps: SlackApps; world: SlackWorld },
  { path, headers }: Call,
): Answer {
  const token = headers.authorization?.replace(/^Bearer /, '');
  const installation = apps.installations.find((one) => one.token === token && !one.isRevoked);
  const file = world.files.get(/-(F[A-Z0-9]+)\//.exec(path)?.[1] ?? '');
  if (!installation?.scopes.has('files:read'))
    return {
      status: 200,
      headers: { 'content-type': 'text/html; charset=utf-8' },
      body: '<!DOCTYPE html><title>Slack</title>',
    };
  if (!file) return { status: 404, body: 'not found' };
  return { status: 200, headers: { 'content-type': file.mimetype }, body: file.content };
}

/** Takes the bytes of an announced file, without a token. */
export const uploadFile = (world: SlackWorld, { path, body }: Call): Answer =>
  world.upload(path.split('/').at(-1) ?? '', body)
    ? { status: 200, body: 'OK' }
    : { status: 404, body: 'not found' };
