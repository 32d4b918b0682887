/** Files by their identifiers, with addresses that are valid for five minutes. */
import { randomBytes } from 'node:crypto';
import type { WaMedia } from './types.ts';

const validMs = 5 * 60 * 1000;

/** The platform's limits of each kind of file, in bytes, by the beginning of its type. */
const caps: readonly (readonly [string, number])[] = [
  ['image/webp', 500 * 1024],
  ['image/', 5 * 1024 * 1024],
  ['audio/', 16 * 1024 * 1024],
  ['video/', 16 * 1024 * 1024],
  ['', 100 * 1024 * 1024],
];

export class MediaShelf {
  readonly #media = new Map<string, WaMedia>();
  readonly #addresses = new Map<string, { mediaId: string; expiresAt: number }>();
  #next = 1;

  add({ bytes, mimeType, fileName }: Omit<WaMedia, 'id'>): WaMedia {
    const id = String(900_000_000_000_000 + this.#next);
    this.#next += 1;
    const media = { id, bytes, mimeType, ...(fileName ? { fileName } : {}) };
    this.#media.set(id, media);
    return media;
  }

  get(id: string): WaMedia | undefined {
    return this.#media.get(id);
  }

  isWithinCap({ bytes, mimeType }: Pick<WaMedia, 'bytes' | 'mimeType'>): boolean {
    const [, most] = caps.find(([type]) => mimeType.startsWith(type))!;
    return bytes.length <= most;
  }

  /** A new address for a file. */
  newAddress(mediaId: string): string {
    const key = randomBytes(12).toString('hex');
    this.#addresses.set(key, { mediaId, expiresAt: Date.now() + validMs });
    return key;
  }

  /** The file behind an address that is still valid. */
  open(key: string): WaMedia | undefined {
    const address = this.#addresses.get(key);
    return address && address.expiresAt > Date.now() ? this.#media.get(address.mediaId) : undefined;
  }

  expireAddresses(): void {
    this.#addresses.clear();
  }
}
