import { createHash, randomBytes } from 'node:crypto';
import { type Database, type TenantTx, withTenant } from '@botyard/shared/db/database';
import { forbidden, unauthorized } from '@botyard/shared/http/errors';
import type { Keyring } from '@botyard/shared/secrets/keyring';
import { v5 as uuidv5, v7 as uuidv7 } from 'uuid';
import { conversationIdOf } from '../../../chats/domain/conversation-id.ts';
import type { ChatMails } from '../../domain/chat-mails.ts';
import {
  countBegun,
  deleteOlderSessions,
  deleteSession,
  findBegun,
  findBySession,
  findVerified,
  insertSession,
  insertVisitor,
  type Visitor,
} from '../store/visitors.ts';
import { connector, type WebchatEndpoint } from './connection.ts';
import {
  type Challenge,
  checkProof,
  leastBits,
  mostBits,
  newChallenge,
  type Proof,
} from './proof-of-work.ts';
import { Shares } from './shares.ts';
import { type ClaimedIdentity, verifyIdentity } from './verify-identity.ts';

interface SessionDeps {
  database: Database;
  keyring: Keyring;
  chatMails(): Pick<ChatMails, 'end'> | undefined;
}

/** The visitor, and the token of a session that was made for them. */
export interface Session {
  visitor: Visitor;
  token?: string;
}

interface Introduction {
  token?: string | undefined;
  identity?: ClaimedIdentity | undefined;
  proof?: Proof | undefined;
  name?: string | undefined;
  language?: string | undefined;
}

/** A browser that isn't used for so long has to begin again. */
const sessionMs = 30 * 24 * 3600_000;
/** Derives a visitor from the number of their beginning. */
const startNamespace = '0d4c6f6e-1c77-4b0e-9f6b-6f2b7a0e7f51';
/** Sessions of a visitor whose answers may have been lost. */
const keptSessions = 6;
/** New visitors of an integration in a minute before each of them has to work. */
const usualBegun = 60;
/** New visitors of an address: an office of many, and no flood. */
const ofAddress = { burst: 20, intervalMs: 3000 };

export class Sessions {
  readonly #deps: SessionDeps;
  readonly #ofAddress = new Shares(ofAddress);

  constructor(deps: SessionDeps) {
    this.#deps = deps;
  }

  /** The visitor of a session that exists. @throws HttpError 401 for one that has ended, or a false identity. */
  async find(endpoint: WebchatEndpoint, { token, identity }: Introduction): Promise<Session | null> {
    const { tenantId, botId } = endpoint;
    if (token !== undefined) {
      const tokenHash = hashOfToken(token);
      const visitor = await withTenant(this.#deps.database, [tenantId], (tx) =>
        findBySession(tx, { tenantId, tokenHash, botId }),
      );
      if (!visitor) throw unauthorized('the session has ended');
      return { visitor };
    }
    if (!identity) return null;
    const { userId, expiresAt } = await verifyIdentity(identity, endpoint.identitySecret);
    return await withTenant(this.#deps.database, [tenantId], async (tx) => {
      const visitor = await findVerified(tx, { tenantId, botId, userId });
      return visitor ? await openSession(tx, visitor, expiresAt) : null;
    });
  }

  /**
   * The visitor of a message: the first one makes the session. Under attack its browser has to work for it.
   * If its answer was lost, its repetition finds the visitor whom it has made. @throws HttpError 401, 403.
   */
  async findOrBegin(
    endpoint: WebchatEndpoint,
    introduction: Introduction & { startId: string },
    address: string,
  ): Promise<Session | Challenge> {
    const session = await this.find(endpoint, introduction);
    if (session) return session;
    const { identity, proof, startId } = introduction;
    if (identity) return await this.#beginVerified(endpoint, identity, introduction);
    const visitorId = uuidv5(`${endpoint.integrationId} ${startId.toLowerCase()}`, startNamespace);
    const expiresAt = new Date(Date.now() + sessionMs);
    const begun = await this.#openBegun(endpoint, visitorId, expiresAt);
    if (begun) return begun;
    if (proof) await checkProof(this.#deps.keyring, { endpoint, visitorId }, proof);
    else {
      const bits = await this.#bitsFor(endpoint, address);
      if (bits > 0) return await newChallenge(this.#deps.keyring, { endpoint, visitorId }, bits);
    }
    return await this.#begin(endpoint, { ...introduction, visitorId, userId: null, expiresAt });
  }

  async #openBegun(
    { tenantId, botId }: WebchatEndpoint,
    visitorId: string,
    expiresAt: Date,
  ): Promise<Session | undefined> {
    return await withTenant(this.#deps.database, [tenantId], async (tx) => {
      const visitor = await findBegun(tx, { tenantId, botId, visitorId });
      return visitor && (await openSession(tx, visitor, expiresAt));
    });
  }

  /** Ends a session. Later answers reach no address that was named in the chat. */
  async end({ tenantId, botId }: WebchatEndpoint, token: string): Promise<void> {
    const tokenHash = hashOfToken(token);
    await withTenant(this.#deps.database, [tenantId], async (tx) => {
      const visitor = await findBySession(tx, { tenantId, tokenHash, botId });
      await deleteSession(tx, { tenantId, tokenHash });
      if (visitor) await this.#deps.chatMails()?.end(tx, { tenantId, platformChatId: visitor.visitorId });
    });
  }

  async #beginVerified(
    endpoint: WebchatEndpoint,
    identity: ClaimedIdentity,
    introduction: Introduction,
  ): Promise<Session> {
    const { userId, name, expiresAt } = await verifyIdentity(identity, endpoint.identitySecret);
    const visitor = { ...introduction, visitorId: uuidv7(), userId, expiresAt };
    return await this.#begin(endpoint, name === undefined ? visitor : { ...visitor, name });
  }

  async #begin(
    { tenantId, botId, integrationId }: WebchatEndpoint,
    one: Introduction & { visitorId: string; userId: string | null; expiresAt: Date },
  ): Promise<Session> {
    const { visitorId, userId, expiresAt } = one;
    const visitor = {
      tenantId,
      visitorId,
      botId,
      integrationId,
      conversationId: conversationIdOf({ botId, platform: connector.name }, visitorId),
      userId,
      name: one.name ?? userId ?? 'Visitor',
      language: one.language ?? null,
    };
    return await withTenant(this.#deps.database, [tenantId], async (tx) => {
      const isNew = await insertVisitor(tx, visitor);
      if (isNew) return await openSession(tx, { ...visitor, lastSeq: 0, readTo: 0 }, expiresAt);
      // Two windows have begun at once.
      const first =
        userId === null
          ? await findBegun(tx, { tenantId, botId, visitorId })
          : await findVerified(tx, { tenantId, botId, userId });
      if (!first) throw forbidden('this chat has ended');
      return await openSession(tx, first, expiresAt);
    });
  }

  /** The work grows with the flood. An address beyond its share works as well; nobody is refused. */
  async #bitsFor({ tenantId, integrationId }: WebchatEndpoint, address: string): Promise<number> {
    const most = usualBegun * 2 ** (mostBits - leastBits + 1);
    const begun = await withTenant(this.#deps.database, [tenantId], (tx) =>
      countBegun(tx, { tenantId, integrationId, most }),
    );
    if (begun >= usualBegun) return Math.min(mostBits, leastBits + Math.floor(Math.log2(begun / usualBegun)));
    return this.#ofAddress.take(`${integrationId} ${address}`) > 0 ? leastBits : 0;
  }
}

async function openSession(tx: TenantTx, visitor: Visitor, expiresAt: Date): Promise<Session> {
  const token = newSessionToken();
  const { tenantId, visitorId } = visitor;
  await insertSession(tx, { tenantId, visitorId, tokenHash: hashOfToken(token), expiresAt });
  if (visitor.userId === null) await deleteOlderSessions(tx, { tenantId, visitorId, keep: keptSessions });
  return { visitor, token };
}

/** The token of a browser's session. It is never stored here, only its hash. */
const newSessionToken = (): string => randomBytes(32).toString('base64url');

const hashOfToken = (token: string): string => createHash('sha256').update(token).digest('base64url');
