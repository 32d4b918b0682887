import { z } from 'zod';
import { moment } from './common.ts';
import { route } from './contract.ts';

export const MailDomain = z
  .object({
    domain: z.string(),
    record: z
      .object({
        type: z.literal('TXT'),
        name: z.string().describe('The name of the DNS record.'),
        value: z.string().describe('The text that the DNS record has to have.'),
      })
      .describe('What has to stand in DNS, for as long as the domain is to stay proven.'),
    state: z
      .enum(['unproven', 'proven'])
      .describe(
        "`proven`: addresses of the domain are this tenant's, and the installation's mail account sends for them. " +
          'An unproven claim reserves nothing.',
      ),
    lastError: z.string().nullable().describe('What the last check met; `null` when it found the record.'),
    checkedAt: moment.nullable().describe('When DNS was last asked; `null` until then.'),
    provenAt: moment.nullable().describe('Since when it is proven; `null` while it is not.'),
    createdAt: moment,
  })
  .meta({
    id: 'MailDomain',
    description: 'A domain of mail addresses that a tenant claims, and the proof of it.',
  });
export type MailDomain = z.input<typeof MailDomain>;

export const maxMailDomains = 50;

/** As a person writes it: upper case and letters of any language are allowed. */
const writtenDomain = z.string().trim().min(1).max(300);

/** A part of `/api/platforms`. */
export const mailDomainRoutes = {
  listMailDomains: route({
    method: 'get',
    path: '/mail-domains',
    access: 'admin',
    summary: "List the tenant's mail domains, by name.",
    description: `There are at most ${maxMailDomains}.`,
    response: z.array(MailDomain),
  }),
  createMailDomain: route({
    method: 'post',
    path: '/mail-domains',
    access: 'admin',
    summary: "Claim a mail domain, so that the installation's mail account may send for it.",
    description:
      'Put `record` into DNS, then check. 409 when the tenant has claimed the domain already or has too many, or when ' +
      'another tenant has proven it. 422 for a public mail provider, a public suffix such as `co.uk`, and the domain of ' +
      'the installation itself.',
    body: z.object({ domain: writtenDomain }).meta({ examples: [{ domain: 'example.com' }] }),
    response: MailDomain,
    status: 201,
    errors: [409, 422],
  }),
  checkMailDomain: route({
    method: 'post',
    path: '/mail-domains/:domain/check',
    access: 'admin',
    summary: 'Look for the record in DNS now.',
    description:
      'A proven domain is looked for every day as well, and is unproven again once its record has been missing for 3 days. ' +
      '409 when another tenant has proven it meanwhile.',
    params: { domain: writtenDomain },
    response: MailDomain,
    errors: [409, 503],
  }),
  deleteMailDomain: route({
    method: 'delete',
    path: '/mail-domains/:domain',
    access: 'admin',
    summary: 'Give a mail domain up.',
    description: "The installation's mail account sends no more for its addresses.",
    params: { domain: writtenDomain },
  }),
} as const;
