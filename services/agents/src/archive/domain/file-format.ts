import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { PlatformName } from '@botyard/contracts/http/platform';
import { personIdOfAccount } from '@botyard/shared/auth/person-id';
import type { ChatInFile } from '../store/files.ts';
import type { ArchivableRow } from '../store/messages.ts';

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/** The limit on a file before compression. Anything larger was not written by this service. */
const maxRawBytes = 16 * 1024 * 1024;

/** One line of a file: the message's whole row, and its place. */
export interface ArchivedLine {
  messageId: string;
  conversationId: string;
  chatId: string;
  botId: string;
  platform: PlatformName;
  kind: string;
  createdAt: string;
  row: {
    direction: 'in' | 'out';
    text: string;
    status: string;
    sender: { platformUserId: string; name: string; username?: string } | null;
    agent_id: string | null;
    received_at: string;
    quote: {
      text: string;
      author?: { platformUserId?: string } | null;
      person_id: string;
      platform_message_id?: string | null;
    } | null;
    [column: string]: unknown;
  };
}

export const toLine = ({ platformUserId: _who, version: _version, ...row }: ArchivableRow): ArchivedLine =>
  ({ ...row, createdAt: row.createdAt.toISOString() }) as ArchivedLine;

export interface Packed {
  bytes: Buffer;
  sha256: string;
  rawBytes: number;
}

/** The bytes of a file: NDJSON, compressed. */
export async function pack(lines: readonly ArchivedLine[]): Promise<Packed> {
  const raw = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const bytes = await compress(raw);
  return { bytes, sha256: createHash('sha256').update(bytes).digest('hex'), rawBytes: raw.length };
}

/** @throws Error, with a text for admins, when the bytes are not the written ones. */
export async function unpack(
  bytes: Buffer,
  file: { sha256: string; messages: number },
): Promise<ArchivedLine[]> {
  if (createHash('sha256').update(bytes).digest('hex') !== file.sha256)
    throw new Error('its checksum is not the one that was written');
  const raw = await decompress(bytes, { maxOutputLength: maxRawBytes * 2 });
  const lines = raw.toString('utf8').split('\n').slice(0, -1);
  if (lines.length !== file.messages)
    throw new Error(`it holds ${lines.length} messages instead of ${file.messages}`);
  return lines.map((line) => JSON.parse(line) as ArchivedLine);
}

/** The first rows that fit into one file; at least one row. */
export function fitting(rows: readonly ArchivableRow[]): ArchivableRow[] {
  let bytes = 0;
  const end = rows.findIndex((row) => {
    bytes += JSON.stringify(row.row).length + 300;
    return bytes > maxRawBytes / 2;
  });
  return rows.slice(0, end === -1 ? rows.length : Math.max(1, end));
}

/** The lines grouped by chat. */
export function chatsOf(tenantId: string, lines: readonly ArchivedLine[]): ChatInFile[] {
  const chats = Map.groupBy(lines, ({ conversationId }) => conversationId);
  return [...chats].map(([conversationId, own]) => {
    const moments = own.map(({ createdAt }) => Date.parse(createdAt));
    const people = own.flatMap((line) => peopleOf(tenantId, line));
    return {
      conversationId,
      botId: own[0]!.botId,
      messages: own.length,
      rawBytes: own.reduce((sum, line) => sum + JSON.stringify(line).length + 1, 0),
      firstAt: new Date(Math.min(...moments)),
      lastAt: new Date(Math.max(...moments)),
      personIds: [...new Set(people)].sort(),
    };
  });
}

/** The people whose words a line holds: its author, and the person whom it quotes. */
function peopleOf(tenantId: string, { platform, row }: ArchivedLine): string[] {
  const quoted = row.quote?.author?.platformUserId;
  return [row.sender?.platformUserId, quoted].flatMap((platformUserId) =>
    platformUserId ? [personIdOfAccount(tenantId, { platform, platformUserId })] : [],
  );
}
