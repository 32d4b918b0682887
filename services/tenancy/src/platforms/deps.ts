import type { Deps as MailDomainsDeps } from '../mail-domains/deps.ts';
import type { Deps as ModerationDeps } from '../moderation/deps.ts';

export interface Deps extends MailDomainsDeps, ModerationDeps {}
