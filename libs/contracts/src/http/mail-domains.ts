import { z } from 'zod';
import { moment } from './common.ts';
import { admin } from './contract.ts';

export const MailDomain = z
  .object({
    domain: z.string(),
    record: z
      .object({
        type: z.literal('TXT'),
        name: z.string().describe('The name of the DNS record.'),
        value: z.string().describe('The text that the DNS record must contain.'),
      })
      .describe('The DNS record that must exist for as long as the domain is to stay proven.'),
    state: z
      .enum(['unproven', 'proven'])
      .describe(
        "`proven`: addresses of the domain belong to this tenant, and the installation's email account sends for them. " +
          'An unproven claim reserves nothing.',
      ),
    lastError: z.string().nullable().describe('Why the last check failed. `null` if it found the record.'),
    checkedAt: moment.nullable().describe('When DNS was last queried. `null` until the first check.'),
    provenAt: moment.nullable().describe('Since when the domain is proven. `null` while it is not.'),
    createdAt: moment,
  })
  .meta({
    id: 'MailDomain',
    description: 'A domain of email addresses that a tenant claims, and the proof of ownership.',
  });
export type MailDomain = z.input<typeof MailDomain>;

export const maxMailDomains = 50;

/** A domain as a person writes it, with upper case and letters of any language. */
const writtenDomain = z.string().trim().min(1).max(300);

/** A part of `/api/platforms`. */
export const mailDomainRoutes = {
  listMailDomains: admin.get('/mail-domains', {
    summary: "List the tenant's email domains, by name.",
    description: `A tenant has at most ${maxMailDomains}.`,
    response: z.array(MailDomain),
  }),
  createMailDomain: admin.post('/mail-domains', {
    summary: "Claim an email domain, so that the installation's email account may send for it.",
    description:
      'Add `record` to DNS, then check it. Returns 409 if the tenant has already claimed the domain or has too many domains, ' +
      'or if another tenant has proven the domain. Returns 422 for a public email provider, a public suffix such as `co.uk`, ' +
      'and the domain of the installation itself.',
    body: z.object({ domain: writtenDomain }).meta({ examples: [{ domain: 'example.com' }] }),
    response: MailDomain,
    status: 201,
    errors: [409, 422],
  }),
  checkMailDomain: admin.post('/mail-domains/:domain/check', {
    summary: 'Check the DNS record of an email domain now.',
    description:
      'A proven domain is also checked every day, and becomes unproven once its record has been missing for 3 days. ' +
      'Returns 409 if another tenant has proven the domain in the meantime.',
    params: { domain: writtenDomain },
    response: MailDomain,
    errors: [409, 503],
  }),
  deleteMailDomain: admin.delete('/mail-domains/:domain', {
    summary: 'Release an email domain.',
    description: "The installation's email account then stops sending for its addresses.",
    params: { domain: writtenDomain },
  }),
} as const;
