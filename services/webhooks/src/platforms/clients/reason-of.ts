import { withoutSecrets } from '@botyard/shared/log/without-secrets';
import type { Secret } from '@botyard/shared/secrets/secret';

const maxUnits = 300;

/** A platform's reason for a failure, without the secret that it was shown, and as a database can keep it. */
export const reasonOf = (secret: Secret, said: string): string =>
  withoutSecrets(said.replaceAll(secret.reveal(), '[secret]'))
    .slice(0, maxUnits)
    .replaceAll('\0', '\uFFFD')
    .toWellFormed();
