import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface Certificate {
  cert: string;
  key: string;
}

/** A certificate authority of a test's own, with openssl. */
export class Authority {
  readonly #folder: string;
  readonly #own: Certificate;

  private constructor(folder: string, own: Certificate) {
    this.#folder = folder;
    this.#own = own;
  }

  static async make(folder: string, name: string): Promise<Authority> {
    const own = { cert: join(folder, `${name}.crt`), key: join(folder, `${name}.key`) };
    await run('openssl', [
      ...['req', '-x509', '-newkey', 'ed25519', '-nodes', '-days', '2', '-subj', `/CN=${name}`],
      ...['-addext', 'keyUsage=critical,keyCertSign', '-keyout', own.key, '-out', own.cert],
    ]);
    return new Authority(folder, own);
  }

  /** The file of its certificate. */
  get file(): string {
    return this.#own.cert;
  }

  /** Signs a certificate for a host; one that has expired ended yesterday. */
  async sign(
    name: string,
    { host = 'localhost', isExpired = false }: { host?: string; isExpired?: boolean } = {},
  ): Promise<Certificate> {
    const made = { cert: join(this.#folder, `${name}.crt`), key: join(this.#folder, `${name}.key`) };
    const request = join(this.#folder, `${name}.csr`);
    const extensions = join(this.#folder, `${name}.ext`);
    await writeFile(extensions, `subjectAltName=DNS:${host}\n`);
    await run('openssl', [
      ...['req', '-new', '-newkey', 'ed25519', '-nodes', '-subj', `/CN=${host}`],
      ...['-keyout', made.key, '-out', request],
    ]);
    await run('openssl', [
      ...['x509', '-req', '-in', request, '-CA', this.#own.cert, '-CAkey', this.#own.key],
      ...['-extfile', extensions, '-days', isExpired ? '-1' : '2', '-out', made.cert],
    ]);
    return made;
  }
}
