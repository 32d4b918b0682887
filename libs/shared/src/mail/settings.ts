import { z } from 'zod';
import { shown } from '../config/shown.ts';
import { isDomain } from './domains.ts';

/** The domain of the installation's own account at the mailer. */
export const mailerDomainSetting = shown(
  z.string().toLowerCase().refine(isDomain, 'must be a domain such as bots.example.com').optional(),
);
