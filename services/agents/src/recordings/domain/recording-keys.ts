import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { busBounds } from '@botyard/shared/json/json-bounds';
import { parseForeignJson } from '@botyard/shared/json/parse-json';
import type { Binding, Keyring } from '@botyard/shared/secrets/keyring';
import { Secret } from '@botyard/shared/secrets/secret';
import { v7 as uuidv7 } from 'uuid';
import type { TurnRecording } from './turn-recording.ts';

const algorithm = 'aes-256-gcm';
const [ivBytes, tagBytes] = [12, 16];
const dayMs = 86_400_000;
/** Tenants whose keys a process holds. */
const maxHeldKeys = 5000;

interface HeldKey {
  keyId: string;
  key: Buffer;
  sealedKey: string;
  until: number;
}

/** A sealed recording, with the key that opens it. */
export interface SealedRecording {
  turnId: string;
  keyId: string;
  sealedKey: string;
  sealedRecording: string;
}

type Row = Omit<SealedRecording, 'sealedKey'> & { tenantId: string };

/** A key opens for no other tenant. */
export const recordingKeyBinding = (tenantId: string, keyId: string): Binding => ({
  purpose: 'recording-key',
  tenantId,
  recordId: keyId,
});

/**
 * Seals recordings with a key of their tenant, which `SECRETS_KEYS` seals. Sealing costs no request: a process makes a
 * key a day for each tenant, and passes it along with every recording. After a rotation only the keys are sealed anew.
 */
export class RecordingKeys {
  readonly #keyring: Keyring;
  readonly #held = new Map<string, Promise<HeldKey>>();

  constructor(keyring: Keyring) {
    this.#keyring = keyring;
  }

  async seal(tenantId: string, turnId: string, recording: TurnRecording): Promise<SealedRecording> {
    const { keyId, key, sealedKey } = await this.#keyOf(tenantId);
    const iv = randomBytes(ivBytes);
    const cipher = createCipheriv(algorithm, key, iv).setAAD(aadOf(tenantId, turnId));
    const sealed = [
      iv,
      cipher.update(JSON.stringify(recording), 'utf8'),
      cipher.final(),
      cipher.getAuthTag(),
    ];
    return { turnId, keyId, sealedKey, sealedRecording: Buffer.concat(sealed).toString('base64') };
  }

  /** @throws Error if it was altered or moved, or if its key doesn't open. */
  async open({ tenantId, turnId, keyId, sealedRecording }: Row, sealedKey: string): Promise<TurnRecording> {
    const opened = await this.#keyring.open(sealedKey, recordingKeyBinding(tenantId, keyId));
    const bytes = Buffer.from(sealedRecording, 'base64');
    const decipher = createDecipheriv(
      algorithm,
      Buffer.from(opened.reveal(), 'base64'),
      bytes.subarray(0, ivBytes),
    )
      .setAAD(aadOf(tenantId, turnId))
      .setAuthTag(bytes.subarray(-tagBytes));
    const text = [decipher.update(bytes.subarray(ivBytes, -tagBytes)), decipher.final()];
    return parseForeignJson(Buffer.concat(text), busBounds) as TurnRecording;
  }

  async #keyOf(tenantId: string): Promise<HeldKey> {
    const held = await this.#held.get(tenantId);
    if (held && held.until > Date.now()) return held;
    if (this.#held.size >= maxHeldKeys) this.#held.clear();
    const made = this.#makeKey(tenantId);
    this.#held.set(tenantId, made);
    made.catch(() => this.#held.delete(tenantId));
    return await made;
  }

  async #makeKey(tenantId: string): Promise<HeldKey> {
    const [keyId, key] = [uuidv7(), randomBytes(32)];
    const secret = new Secret(key.toString('base64'));
    const sealedKey = await this.#keyring.seal(secret, recordingKeyBinding(tenantId, keyId));
    return { keyId, key, sealedKey, until: Date.now() + dayMs };
  }
}

const aadOf = (tenantId: string, turnId: string): Buffer => Buffer.from(`${tenantId} ${turnId}`);
