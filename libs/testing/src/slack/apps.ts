/** The pages of an app: its addresses, events and scopes, and where it is installed. */
import { randomBytes } from 'node:crypto';
import { signed } from './delivery.ts';
import type { Installation, SlackApp } from './types.ts';
import { newId, type SlackWorld } from './world.ts';

const allScopes = [
  'app_mentions:read',
  'assistant:write',
  'channels:history',
  'channels:read',
  'chat:write',
  'commands',
  'files:read',
  'files:write',
  'groups:history',
  'groups:read',
  'im:history',
  'im:read',
  'mpim:history',
  'mpim:read',
  'reactions:read',
  'users:read',
];
/** Events with the scope that each needs. */
export const eventScopes: Readonly<Record<string, string | undefined>> = {
  app_mention: 'app_mentions:read',
  'message.channels': 'channels:history',
  'message.groups': 'groups:history',
  'message.im': 'im:history',
  'message.mpim': 'mpim:history',
  member_joined_channel: 'channels:read',
  channel_archive: 'channels:read',
  channel_id_changed: 'channels:read',
  reaction_added: 'reactions:read',
  reaction_removed: 'reactions:read',
  app_home_opened: undefined,
  app_uninstalled: undefined,
  tokens_revoked: undefined,
};

/** Where an app is installed: a workspace, or all of an organization. */
export type Place = { teamId: string } | { enterpriseId: string };

export class SlackApps {
  readonly apps = new Map<string, SlackApp>();
  readonly installations: Installation[] = [];
  /** Called once a person has allowed an installation, before they are sent back. */
  onApproved: (installation: Installation, redirectUri: string) => void = () => undefined;
  readonly #world: SlackWorld;
  readonly #approvals = new Map<string, { installation: Installation; redirectUri: string } | 'used'>();

  constructor(world: SlackWorld) {
    this.#world = world;
  }

  add(app: Partial<SlackApp> = {}): SlackApp {
    const secret = () => randomBytes(16).toString('hex');
    const added: SlackApp = {
      appId: newId('A'),
      clientId: `${Date.now()}.${newId('').slice(1)}`,
      clientSecret: secret(),
      signingSecret: secret(),
      scopes: new Set(allScopes),
      events: new Set(),
      redirectUrls: [],
      isOrgReady: false,
      ...app,
    };
    this.apps.set(added.appId, added);
    return added;
  }

  /** Saves the address for events once it has answered the challenge, as the page does. @throws Error otherwise. */
  async setRequestUrl(app: SlackApp, url: string): Promise<void> {
    const challenge = randomBytes(24).toString('hex');
    const body = JSON.stringify({ token: 'deprecated', challenge, type: 'url_verification' });
    const headers = { 'content-type': 'application/json', ...signed(app.signingSecret, body) };
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual' });
    const answer = await response.text();
    const isEchoed = answer === challenge || answer === JSON.stringify({ challenge });
    if (response.status !== 200 || !isEchoed)
      throw new Error(
        `Your URL didn't respond with the value of the challenge parameter (${response.status}).`,
      );
    app.requestUrl = url;
  }

  /** @throws Error if the address is not verified, or a scope is missing. */
  subscribe(app: SlackApp, events: readonly string[] = Object.keys(eventScopes)): void {
    if (app.requestUrl === undefined) throw new Error('Enter a request URL first.');
    for (const event of events) {
      if (!(event in eventScopes)) throw new Error(`There is no event ${event}.`);
      const scope = eventScopes[event];
      if (scope !== undefined && !app.scopes.has(scope))
        throw new Error(`${event} needs the scope ${scope}.`);
      app.events.add(event);
    }
  }

  /** Installs an app in a workspace, or in a whole organization. The token has the app's scopes of this moment. */
  install(app: SlackApp, place: Place, fixed: Partial<Installation> = {}): Installation {
    const teamId = 'teamId' in place ? place.teamId : null;
    if (teamId === null && !app.isOrgReady) throw new Error('The app is not ready for organizations.');
    const enterpriseId =
      'teamId' in place ? (this.#world.enterprises.get(place.teamId) ?? null) : place.enterpriseId;
    const bot = this.#world.addPerson(teamId ?? [...this.#world.enterprises.keys()][0] ?? '', {
      ...(fixed.botUserId ? { id: fixed.botUserId } : {}),
      name: 'botyard',
      displayName: 'Botyard',
    });
    const installation = {
      app,
      token: `xoxb-${randomBytes(20).toString('hex')}`,
      issued: [],
      teamId,
      enterpriseId,
      botUserId: bot.id,
      botId: newId('B'),
      scopes: new Set(app.scopes),
      isRevoked: false,
      ...fixed,
    };
    this.installations.push(installation);
    return installation;
  }

  /** The request in an address of the page. @throws Error in the platform's words. */
  requestOf(address: string): { app: SlackApp; scopes: string[]; redirectUri: string; state: string } {
    const query = new URL(address).searchParams;
    const app = [...this.apps.values()].find(({ clientId }) => clientId === query.get('client_id'));
    if (!app) throw new Error('invalid_client_id');
    const redirectUri = query.get('redirect_uri') ?? '';
    if (!app.redirectUrls.some((url) => redirectUri.startsWith(url))) throw new Error('bad_redirect_uri');
    const scopes = (query.get('scope') ?? '').split(',');
    const unknown = scopes.filter((scope) => !app.scopes.has(scope));
    if (unknown.length > 0) throw new Error(`invalid_scope: ${unknown.join(', ')}`);
    return { app, scopes, redirectUri, state: query.get('state') ?? '' };
  }

  /** A person allows the installation on the page that the address opens. Returns the address that follows. */
  approve(address: string, place: Place): string {
    const { app, scopes, redirectUri, state } = this.requestOf(address);
    const code = randomBytes(16).toString('hex');
    const installation = this.#installedIn(app, place) ?? this.install(app, place);
    installation.isRevoked = false;
    installation.scopes = new Set(scopes);
    this.#approvals.set(code, { installation, redirectUri });
    this.onApproved(installation, redirectUri);
    return withQuery(redirectUri, { code, state });
  }

  /** The person cancels instead. */
  cancel(address: string): string {
    const { redirectUri, state } = this.requestOf(address);
    return withQuery(redirectUri, { error: 'access_denied', state });
  }

  /** An app that is installed in a place again keeps its bot and its token. */
  #installedIn(app: SlackApp, place: Place): Installation | undefined {
    return this.installations.find(
      (one) =>
        one.app === app &&
        ('teamId' in place
          ? one.teamId === place.teamId
          : one.teamId === null && one.enterpriseId === place.enterpriseId),
    );
  }

  /** The installation that a code stands for, once; `used` after that. */
  takeApproval(code: string): { installation: Installation; redirectUri: string } | 'used' | undefined {
    const approval = this.#approvals.get(code);
    if (approval) this.#approvals.set(code, 'used');
    return approval;
  }
}

function withQuery(address: string, query: Record<string, string>): string {
  const next = new URL(address);
  next.search = new URLSearchParams(query).toString();
  return next.href;
}
