/** Token rotation: tokens that expire, and refresh tokens that can be used once. */
import { randomBytes } from 'node:crypto';
import { type Installation, type IssuedToken, SlackError } from './types.ts';

/** Older ones are revoked when another one is issued. */
const maxActive = 2;

/** The fields of an answer with the token of an installation: a new one if the app rotates its tokens. */
export function issue(installation: Installation): Record<string, unknown> {
  const { app, issued } = installation;
  if (!app.rotation) return { access_token: installation.token };
  const { lives } = app.rotation;
  const seconds = lives[Math.min(issued.length, lives.length - 1)] ?? 43_200;
  const random = () => randomBytes(20).toString('hex');
  const added: IssuedToken = {
    token: `xoxe.xoxb-1-${random()}`,
    refreshToken: `xoxe-1-${random()}`,
    expiresAt: Date.now() + seconds * 1000,
    isRevoked: false,
  };
  issued.push(added);
  for (const old of issued.slice(0, -maxActive)) old.isRevoked = true;
  installation.token = added.token;
  return { access_token: added.token, refresh_token: added.refreshToken, expires_in: seconds };
}

/** The installation that a refresh token belongs to. @throws SlackError like the platform. */
export function useRefreshToken(installations: readonly Installation[], refreshToken: unknown): Installation {
  const installation = installations.find(({ issued }) =>
    issued.some((one) => one.refreshToken === refreshToken),
  );
  const token = installation?.issued.find((one) => one.refreshToken === refreshToken);
  if (!installation || !token) throw new SlackError('invalid_refresh_token');
  if (installation.isRevoked) throw new SlackError('token_revoked');
  const graceMs = installation.app.rotation?.graceMs ?? 0;
  if (token.usedAt !== undefined && Date.now() > token.usedAt + graceMs)
    throw new SlackError('invalid_refresh_token');
  token.usedAt ??= Date.now();
  return installation;
}

/** The installation that a token belongs to. @throws SlackError like the platform. */
export function findByToken(installations: readonly Installation[], token: string): Installation {
  const installation = installations.find(
    (one) => one.token === token || one.issued.some((issued) => issued.token === token),
  );
  if (!installation) throw new SlackError('invalid_auth');
  if (installation.isRevoked) throw new SlackError('account_inactive');
  const issued = installation.issued.find((one) => one.token === token);
  if (issued?.isRevoked) throw new SlackError('token_revoked');
  if (issued && issued.expiresAt <= Date.now()) throw new SlackError('token_expired');
  return installation;
}
