import type { Request } from 'express';
import type { FieldCollector } from '../domain/inbound/mail-form.ts';

const ampersand = 0x26;
const equals = 0x3d;
/** Limit of a percent-encoded name. No longer one is needed. */
const maxNameBytes = 600;

/**
 * Reads `name=value&…` while it arrives, and decodes only names: parsers that decode a whole body block the loop for
 * seconds (8 MB of `+`). After each chunk `onChunk` is called with the bytes so far, and with those that are kept; the
 * next one isn't read before it resolves. Rejects with its errors and with those of the connection.
 */
export async function readPairs(
  req: Request,
  { collector, maxPairs, onChunk }: PairOptions,
): Promise<{ hasTooMany: boolean }> {
  let pair = new PairBytes(collector);
  let pairs = 0;
  let bytes = 0;
  const endPair = () => {
    pair.end();
    pair = new PairBytes(collector);
    pairs += 1;
  };
  const take = (chunk: Buffer) => {
    let begin = 0;
    for (let end = chunk.indexOf(ampersand); end >= 0; end = chunk.indexOf(ampersand, begin)) {
      pair.add(chunk.subarray(begin, end));
      endPair();
      if (pairs >= maxPairs) return;
      begin = end + 1;
    }
    pair.add(chunk.subarray(begin));
  };
  try {
    for await (const chunk of req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      take(chunk);
      if (pairs >= maxPairs) return { hasTooMany: true };
      bytes += chunk.length;
      await onChunk(bytes, collector.keptBytes + pair.length);
    }
    endPair();
    return { hasTooMany: false };
  } finally {
    // The rest is discarded.
    req.resume();
  }
}

interface PairOptions {
  collector: FieldCollector;
  maxPairs: number;
  onChunk: (bytes: number, keptBytes: number) => Promise<void>;
}

/** The bytes of one pair, up to the limit of its field: a giant value is neither stored nor copied. */
class PairBytes {
  readonly #collector: FieldCollector;
  readonly #pieces: Buffer[] = [];
  #length = 0;
  #limit: number | undefined;

  constructor(collector: FieldCollector) {
    this.#collector = collector;
  }

  get length(): number {
    return this.#length;
  }

  add(piece: Buffer): void {
    if (piece.length === 0 || this.#length >= (this.#limit ?? Number.POSITIVE_INFINITY)) return;
    const room = this.#limit === undefined ? piece.length : this.#limit - this.#length;
    // A copy, because a part of a chunk would keep the whole of it in memory.
    this.#pieces.push(Buffer.from(piece.subarray(0, room)));
    this.#length += Math.min(piece.length, room);
    if (this.#limit === undefined && this.#length > maxNameBytes) this.#cutAt(this.#findLimit());
  }

  end(): void {
    if (this.#length > 0) addPair(this.#collector, Buffer.concat(this.#pieces));
  }

  #cutAt(limit: number): void {
    this.#limit = limit;
    if (this.#length <= limit) return;
    const kept = Buffer.from(Buffer.concat(this.#pieces).subarray(0, limit));
    this.#pieces.splice(0, this.#pieces.length, kept);
    this.#length = limit;
  }

  /** Called once, when the name is complete. A name that is too long is not read, nor is its value. */
  #findLimit(): number {
    const begin = Buffer.concat(this.#pieces).subarray(0, maxNameBytes + 1);
    const at = begin.indexOf(equals);
    if (at < 0) return maxNameBytes + 1;
    return at + 1 + this.#collector.maxBytesOf(decodeName(begin.toString('latin1', 0, at)));
  }
}

function addPair(collector: FieldCollector, pair: Buffer): void {
  const at = pair.indexOf(equals);
  const name = at < 0 ? pair : pair.subarray(0, at);
  if (name.length > maxNameBytes) return;
  collector.add(decodeName(name.toString('latin1')), at < 0 ? '' : new Uint8Array(pair.subarray(at + 1)));
}

function decodeName(name: string): string {
  try {
    return decodeURIComponent(name.replaceAll('+', ' '));
  } catch {
    return name;
  }
}
