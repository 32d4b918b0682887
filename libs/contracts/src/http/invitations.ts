import { z } from 'zod';
import { isLanguageTag } from './bot-words.ts';
import { id, moment } from './common.ts';
import { route } from './contract.ts';
import { Role } from './members.ts';
import { PageQuery } from './page.ts';
import { SearchText, sortedPageQuery } from './sorted-page.ts';

/** Limit per tenant; only invitations that can still be accepted count. */
export const maxPendingInvitations = 200;
export const invitationDays = 14;

export const invitationStates = ['pending', 'accepted', 'declined', 'revoked', 'expired'] as const;
const InvitationState = z.enum(invitationStates);

const end = moment.describe('From then on it can no longer be accepted.');

export const Invitation = z
  .object({
    invitationId: id,
    email: z.string().describe('In lower case. Whoever has this address, verified, can accept.'),
    role: Role,
    language: z
      .string()
      .describe('The language that the mail is written in, where it is one of the known ones.'),
    state: InvitationState.describe('As it stands now: of those that are `pending` the time is not over.'),
    mail: z
      .enum(['queued', 'sent', 'uncertain', 'not_sent'])
      .describe(
        '`queued` is tried again for a day; `uncertain`: the mailer did not say whether it took the mail; `not_sent`: hand ' +
          'the link on yourself.',
      ),
    mailProblem: z.string().nullable().describe('Why the mail waits or was not sent.'),
    mailedAt: moment.nullable().describe('When the mailer took the mail.'),
    link: z
      .string()
      .describe('Opens the console. It gives nobody any right: accepting needs the verified address.'),
    invitedBy: id.nullable().describe('The person who invited; `null` once that person was deleted.'),
    createdAt: moment,
    expiresAt: end,
    endedAt: moment.nullable().describe('When it was accepted, declined or revoked.'),
  })
  .meta({ id: 'Invitation', description: 'An invitation to a tenant, by e-mail address.' });
export type Invitation = z.input<typeof Invitation>;

export const CreateInvitationBody = z
  .object({
    email: z.email().max(254).toLowerCase().describe('Of the person who is invited.'),
    role: Role,
    language: z
      .string()
      .refine(isLanguageTag, 'must be a language tag such as de or pt-BR')
      .optional()
      .describe('Of the mail; English unless given, and where it is not one of the known languages.'),
  })
  .meta({ examples: [{ email: 'anna@example.com', role: 'member', language: 'de' }] });
export type CreateInvitationBody = z.output<typeof CreateInvitationBody>;

const ListInvitationsQuery = sortedPageQuery(
  { createdAt: 'id', email: 'text' },
  {
    usual: '-createdAt',
    filters: {
      q: SearchText.optional().describe('A part of the address, in any case.'),
      state: InvitationState.optional().describe('As it stands now.'),
    },
  },
);
export type ListInvitationsQuery = z.output<typeof ListInvitationsQuery>;

/** An invitation as the invited person sees it. */
const OwnInvitation = z
  .object({
    invitationId: id,
    tenantId: id,
    tenantName: z.string().describe('What the tenant calls itself: anything that its admins have written.'),
    role: Role.describe('What the person becomes.'),
    createdAt: moment,
    expiresAt: end,
  })
  .meta({ id: 'OwnInvitation', description: "An invitation to the caller's own address." });

const path = '/tenants/:tenantId/invitations';

/** The part of `/api/bots` that is about invitations. */
export const invitationRoutes = {
  listInvitations: route({
    method: 'get',
    path,
    access: 'admin',
    summary: 'List the invitations to a tenant.',
    description: 'Those that have ended are kept for 90 days.',
    query: ListInvitationsQuery,
    response: z.array(Invitation),
    paged: true,
  }),
  createInvitation: route({
    method: 'post',
    path,
    access: 'admin',
    acceptsTokens: false,
    summary: 'Invite a person by e-mail address.',
    description:
      "A mail with a link is sent through the installation's account; where that is not possible, the invitation is made all the " +
      'same, with `mail: not_sent`. It is accepted with `POST /api/auth/invitations/:invitationId/accept`, by whoever has signed in ' +
      `with that address, verified. It ends after ${invitationDays} days. 409 with \`code: already_exists\` for the address of a ` +
      'member who has come to the tenant, and where one is pending; with `limit_reached` where ' +
      `${maxPendingInvitations} are. Without an identity provider to ask it is 503 with \`code: not_configured\`.`,
    body: CreateInvitationBody,
    response: Invitation,
    status: 201,
    errors: [409, 503],
  }),
  deleteInvitation: route({
    method: 'delete',
    path: `${path}/:invitationId`,
    access: 'admin',
    acceptsTokens: false,
    summary: 'Revoke an invitation.',
    description:
      'It stays in the list. One that was accepted or declined, or has expired, is 409 with `code: already_decided`.',
    errors: [409],
  }),
  resendInvitation: route({
    method: 'post',
    path: `${path}/:invitationId/resend`,
    access: 'admin',
    acceptsTokens: false,
    summary: 'Send the mail of an invitation once more.',
    description:
      'At most once in a minute (429). One that is no longer pending is 409 with `code: already_decided`.',
    response: Invitation,
    errors: [409, 429],
  }),
};

/** The part of `/api/auth` that is about the caller's own invitations. */
export const ownInvitationRoutes = {
  listOwnInvitations: route({
    method: 'get',
    path: '/invitations',
    access: 'authenticated',
    summary: "List the invitations to the caller's own address that can be accepted.",
    description:
      'The address counts as the identity provider has verified it; to any other one there are none.',
    query: PageQuery,
    response: z.array(OwnInvitation),
    paged: true,
    errors: [503],
  }),
  acceptInvitation: route({
    method: 'post',
    path: '/invitations/:invitationId/accept',
    access: 'authenticated',
    summary: 'Accept an invitation: the caller becomes a member or an admin of the tenant.',
    description:
      'Accepting twice changes nothing. One that is not for the caller is 404; one that was declined or revoked is 409 with ' +
      '`code: already_decided`, and one that is over with `code: expired`. Whoever is of the tenant already keeps their role.',
    response: OwnInvitation,
    errors: [409, 503],
  }),
  declineInvitation: route({
    method: 'post',
    path: '/invitations/:invitationId/decline',
    access: 'authenticated',
    summary: 'Decline an invitation. Answers as accepting does.',
    errors: [409, 503],
  }),
};
