import { createHash } from 'node:crypto';
import { CompactEncrypt, compactDecrypt, decodeProtectedHeader } from 'jose';
import { Secret } from './secret.ts';

/** The owner of a sealed value, which opens only for exactly the same binding. */
export interface Binding {
  purpose: string;
  tenantId: string;
  recordId: string;
  [detail: string]: string;
}

const keyShape = /^([\w-]{1,64}):([A-Za-z0-9_-]{43})$/;

/**
 * Seals secrets at rest as JWE (`dir`, A256GCM) with the first key of `SECRETS_KEYS`; every key of the list opens.
 * The binding is part of the authenticated header, so a row moved to another tenant or record is refused.
 */
export class Keyring {
  readonly #keys: ReadonlyMap<string, Uint8Array>;
  readonly #sealingKid: string;

  private constructor(keys: ReadonlyMap<string, Uint8Array>, sealingKid: string) {
    this.#keys = keys;
    this.#sealingKid = sealingKid;
  }

  /** @throws Error with the position of a broken entry, never its content. */
  static parse(setting: string): Keyring {
    const entries = setting.split(',').map((entry, index) => {
      const [, kid, key] = keyShape.exec(entry.trim()) ?? [];
      if (!kid || !key) throw new Error(`entry ${index + 1} is not kid:base64url(32 bytes)`);
      return [kid, new Uint8Array(Buffer.from(key, 'base64url'))] as const;
    });
    const [first] = entries;
    if (!first) throw new Error('no key is given');
    const keys = new Map(entries);
    if (keys.size !== entries.length) throw new Error('a key id is given twice');
    return new Keyring(keys, first[0]);
  }

  async seal(secret: Secret, binding: Binding): Promise<string> {
    const key = this.#keys.get(this.#sealingKid);
    if (!key) throw new Error('the sealing key is missing');
    return await new CompactEncrypt(new TextEncoder().encode(secret.reveal()))
      .setProtectedHeader({ ...this.#header, bnd: fingerprint(binding) })
      .encrypt(key);
  }

  /** @throws Error if the value was altered, belongs to another binding, or its key was removed. */
  async open(sealed: string, binding: Binding): Promise<Secret> {
    if (!sealed.split('.').every(isCanonical)) throw new Error('the sealed value was altered');
    const { kid } = decodeProtectedHeader(sealed);
    const key = typeof kid === 'string' ? this.#keys.get(kid) : undefined;
    if (!key) throw new Error('the key that sealed this value is not in SECRETS_KEYS');
    const { plaintext, protectedHeader } = await compactDecrypt(sealed, key, {
      keyManagementAlgorithms: ['dir'],
      contentEncryptionAlgorithms: ['A256GCM'],
    });
    if (protectedHeader.bnd !== fingerprint(binding))
      throw new Error('the sealed value belongs to something else');
    return new Secret(new TextDecoder().decode(plaintext));
  }

  /** The prefix of values sealed with the current key; other values have to be resealed. */
  get sealedPrefix(): string {
    const header = Buffer.from(`${JSON.stringify(this.#header).slice(0, -1)},"bnd":"`);
    // Three bytes are four characters; remaining bytes depend on what follows. The kid's closing quote stays.
    return header.subarray(0, header.length - (header.length % 3)).toString('base64url');
  }

  get #header() {
    return { alg: 'dir', enc: 'A256GCM', kid: this.#sealingKid };
  }
}

/** A base64 character can hold unused bits, which a decoder drops, so a change there would go unnoticed. */
const isCanonical = (part: string): boolean => Buffer.from(part, 'base64url').toString('base64url') === part;

function fingerprint(binding: Binding): string {
  const ordered = Object.entries(binding).sort(([left], [right]) => (left < right ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(ordered)).digest('base64url');
}
