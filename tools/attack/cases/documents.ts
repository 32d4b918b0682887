import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { deflateSync } from 'node:zlib';
import { makePdf, pageOf } from '../../../services/agents/test/knowledge/domain/pdf.ts';
import { type Case, equals, inTurn, isAtLeast } from '../attack.ts';
import type { AttackingTenant, Installation } from '../installation.ts';

const atOnce = 6;
/** The limit of the pod of agents. */
const maxMib = 768;
const pollMs = 100;

/** A PDF whose stream of 200 MB is compressed twice. */
function makeBomb(): Buffer {
  const expanding = deflateSync(deflateSync(Buffer.alloc(200 * 1024 * 1024, ' ')));
  return makePdf([{ content: expanding, filter: '[/FlateDecode /FlateDecode]' }]);
}

interface Source {
  status: 'processing' | 'ready' | 'failed';
  lastError: string | null;
}

/** Small PDFs that expand are uploaded, six at a time, for as long as the attack lasts. */
export const documents: Case = {
  about: `${atOnce} uploads at a time of PDFs of less than 5 kB that expand to 200 MB`,
  canSpread: true,
  maxMib: { agents: maxMib },
  habit: async ({ system, victim }) => {
    const perform = async () => {
      const text = `Kettles are returned within 30 days ${randomUUID()}`;
      const { status, lastError } = await upload(system, victim, makePdf([pageOf(text)]));
      if (status !== 'ready') throw new Error(`the PDF was not read: ${lastError}`);
    };
    return { name: 'PDFs', everyMs: 1000, perform };
  },
  begin: async ({ system }, { tenants }) => {
    const bomb = makeBomb();
    const ending = new AbortController();
    const ends: Source[] = [];
    const repeat = async (number: number) => {
      while (!ending.signal.aborted) {
        // Bytes after the end of a PDF make it another document.
        const document = Buffer.concat([bomb, Buffer.from(`\n% ${randomUUID()}`)]);
        ends.push(await upload(system, inTurn(tenants, number), document));
      }
    };
    const all = Promise.all(Array.from({ length: atOnce }, (_, number) => repeat(number)));
    all.catch(() => undefined);
    return {
      stop: async () => {
        ending.abort();
        await all;
      },
      checks: () => [
        isAtLeast('documents of the attacker that were tried', atOnce, ends.length),
        equals('of these, others than failed with a reason', 0, ends.filter(isOther).length),
      ],
    };
  },
};

const isOther = ({ status, lastError }: Source): boolean => status !== 'failed' || !lastError;

/** Uploads a document, and resolves once it has been read or has failed. @throws if it is refused. */
async function upload(
  { gatewayUrl }: Installation['system'],
  { person, demo }: AttackingTenant,
  bytes: Buffer,
): Promise<Source> {
  const headers = { authorization: person.bearer, 'x-tenant-id': demo.tenantId };
  const url = `${gatewayUrl}/api/context-sources`;
  const body = new Uint8Array(bytes);
  const init = { method: 'POST', headers: { ...headers, 'content-type': 'application/pdf' }, body };
  const response = await fetch(`${url}/upload?title=${randomUUID()}`, init);
  if (response.status !== 202) throw new Error(`${response.status} ${await response.text()}`);
  const { sourceId } = (await response.json()) as { sourceId: string };
  for (;;) {
    const source = await fetch(`${url}/${sourceId}`, { headers });
    const read = (await source.json()) as Source;
    if (read.status !== 'processing') return read;
    await pause(pollMs);
  }
}
