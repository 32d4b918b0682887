/** An app as its pages at the platform describe it. */
export interface SlackApp {
  appId: string;
  clientId: string;
  clientSecret: string;
  signingSecret: string;
  /** Scopes of the bot, which an installation gives to its token. */
  scopes: Set<string>;
  /** Events that the app has subscribed to, such as `app_mention` or `message.im`. */
  events: Set<string>;
  /** The address for events, once it has answered the challenge. */
  requestUrl?: string;
  /** The address for presses of buttons, and for slash commands. */
  interactivityUrl?: string;
  redirectUrls: string[];
  /** Whole organizations may install it. */
  isOrgReady: boolean;
  /** Its tokens expire; once turned on, that stays. */
  rotation?: Rotation;
}

/** An app's rotation. A refresh token is accepted again for a short time after its use, as the platform does it. */
export interface Rotation {
  /** Seconds that the tokens of an installation live, in the order in which they are issued; the last one repeats. */
  lives: readonly number[];
  graceMs: number;
}

/** A token with its refresh token. */
export interface IssuedToken {
  token: string;
  refreshToken: string;
  expiresAt: number;
  usedAt?: number;
  isRevoked: boolean;
}

/** An app in one workspace, or in all of an organization. */
export interface Installation {
  app: SlackApp;
  /** The newest one. */
  token: string;
  /** All of them, if the app rotates its tokens. */
  issued: IssuedToken[];
  /** `null` for an installation in a whole organization. */
  teamId: string | null;
  enterpriseId: string | null;
  botUserId: string;
  botId: string;
  scopes: Set<string>;
  isRevoked: boolean;
}

export interface SlackPerson {
  id: string;
  name: string;
  displayName: string;
  locale: string;
  /** Another workspace's person takes part in shared channels. */
  teamId: string;
}

export interface SlackMessage {
  ts: string;
  user?: string;
  botId?: string;
  text: string;
  threadTs?: string;
  blocks?: unknown;
  files?: SlackFile[];
  editedTs?: string;
  /** People by the name of their reaction. */
  reactions?: Record<string, string[]>;
}

export interface SlackFile {
  id: string;
  name: string;
  mimetype: string;
  content: Buffer;
  teamId: string;
  subtype?: string;
  /** The event of a file of another workspace has only its identifier. */
  isOfAnother?: boolean;
}

export interface SlackChannel {
  id: string;
  name: string;
  kind: 'channel' | 'group' | 'mpim' | 'im';
  teamId: string;
  members: Set<string>;
  isArchived: boolean;
  isShared: boolean;
  messages: SlackMessage[];
}

/** A POST of the platform to the app, with all its attempts. */
export interface SlackDelivery {
  url: string;
  kind: 'event' | 'command' | 'press';
  type: string;
  body: string;
  contentType: string;
  attempts: { at: number; status?: number; retryNum: number; body?: string }[];
  state: 'sending' | 'retrying' | 'delivered' | 'dropped';
}

/** Refused by the Web API, in its words. */
export class SlackError extends Error {
  override readonly name = 'SlackError';
  readonly needed: string | undefined;

  constructor(error: string, needed?: string) {
    super(error);
    this.needed = needed;
  }
}
