import { consolePaths } from '@botyard/contracts/console-paths';

interface RememberedToken {
  token: string;
  endsAt: number;
}

const tokens = new Map<string, RememberedToken>();
const renewBeforeMs = 60_000;

/** A session token, kept in memory only. */
export async function tokenOf(as: string | null): Promise<string | null> {
  if (as === null) return (await window.Clerk?.session?.getToken()) ?? null;
  const cachedToken = tokens.get(as);
  if (cachedToken && cachedToken.endsAt > Date.now() + renewBeforeMs) return cachedToken.token;
  const response = await fetch(consolePaths.session, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ userId: as }),
  });
  if (!response.ok)
    throw new Error(
      `No session for ${as}: the gateway returned ${response.status}. Choose another person, or restart the sandbox.`,
    );
  const { token, expiresInSeconds } = (await response.json()) as { token: string; expiresInSeconds: number };
  tokens.set(as, { token, endsAt: Date.now() + expiresInSeconds * 1000 });
  return token;
}
