/** OpenSSL's and Node's certificate errors, and the remedy for each. */
const advice: readonly [codes: RegExp, (settings: Settings) => string][] = [
  [
    /^(CERT_HAS_EXPIRED|CERT_NOT_YET_VALID)$/,
    () => 'its certificate has expired or is not valid yet: renew it, or set the clock of this machine',
  ],
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    ({ address }) =>
      `its certificate is for another name: ${address} has to have a name that the certificate has`,
  ],
  [
    /^(SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT(_LOCALLY)?|CERT_SIGNATURE_FAILURE|CERT_UNTRUSTED|INVALID_CA)$/,
    ({ authorities }) =>
      `its certificate comes from an authority that is not known here: ${authorities} has to name the file of that authority's certificate`,
  ],
  [
    /^(CERT_|ERR_TLS_|ERR_SSL_|ERR_OSSL_)/,
    ({ authorities, address }) => `the encrypted connection failed: check ${address} and ${authorities}`,
  ],
];
const plainServer = /does not support (SSL connections|'tls')/;

interface Settings {
  /** The setting with the server's address. */
  address: string;
  /** The setting with the trusted authorities. */
  authorities: string;
}

export const natsSettings: Settings = { address: 'NATS_URL', authorities: 'NATS_CA_FILE' };
export const postgresSettings: Settings = {
  address: 'DATABASE_URL',
  authorities: 'sslrootcert in DATABASE_URL',
};

/** A remedy in one line if the connection failed because of the server's certificate; else `undefined`. */
export function certificateFault(error: unknown, settings: Settings): string | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code = '' } = cause as NodeJS.ErrnoException;
    const matchingAdvice = advice.find(([codes]) => codes.test(code));
    if (matchingAdvice) return `${settings.address}: ${matchingAdvice[1](settings)} (${code})`;
    if (plainServer.test(cause.message))
      return `${settings.address}: the server offers no encryption: turn it on there, or don't ask for it here`;
  }
  return undefined;
}
