import type { Binding, Keyring } from './keyring.ts';
import { Secret } from './secret.ts';

/** Seals values together, as JSON. */
export const sealJson = (keyring: Keyring, values: object, binding: Binding): Promise<string> =>
  keyring.seal(new Secret(JSON.stringify(values)), binding);

/** @throws Error when the sealed values were altered, or are bound to something else. */
export const openJson = async (keyring: Keyring, sealed: string, binding: Binding): Promise<unknown> =>
  JSON.parse((await keyring.open(sealed, binding)).reveal());
