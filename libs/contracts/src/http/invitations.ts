import { z } from 'zod';
import { isLanguageTag } from './bot-words.ts';
import { id, moment } from './common.ts';
import { admin, authenticated } from './contract.ts';
import { SearchText, sortedPageQuery } from './sorted-page.ts';

/** Limit per tenant; only invitations that can still be accepted count. */
export const maxPendingInvitations = 200;
export const invitationDays = 14;

export const invitationStates = ['pending', 'accepted', 'declined', 'revoked', 'expired'] as const;
const InvitationState = z.enum(invitationStates);

/** The most bots that one invitation lets a person answer. */
const maxBots = 50;

const InvitedRole = z.enum(['admin', 'member', 'responder'], {
  error: 'must be one of admin, member, responder',
});
const botIds = z
  .array(id)
  .max(maxBots)
  .describe('The bots whose chats a `responder` answers. Empty for the other roles.');

const end = moment.describe('When the invitation expires and can no longer be accepted.');

export const Invitation = z
  .object({
    invitationId: id,
    email: z
      .string()
      .describe('The invited address, in lower case. Any person with this address, verified, can accept.'),
    role: InvitedRole.describe('The role that the person gets by accepting.'),
    botIds,
    language: z.string().describe('The language of the email, if it is one of the known languages.'),
    state: InvitationState.describe('The current state. An invitation that is `pending` has not expired.'),
    mail: z
      .enum(['queued', 'sent', 'uncertain', 'not_sent'])
      .describe(
        '`queued`: sending is retried for a day. `uncertain`: the mailer did not confirm that it accepted the email. ' +
          '`not_sent`: pass the link on yourself.',
      ),
    mailProblem: z.string().nullable().describe('Why the email is waiting or was not sent.'),
    mailedAt: moment.nullable().describe('When the mailer accepted the email.'),
    link: z
      .string()
      .describe(
        'Opens the console. The link alone grants no access: accepting requires the verified address.',
      ),
    invitedBy: id.nullable().describe('The user who sent the invitation. `null` once that user was deleted.'),
    createdAt: moment,
    expiresAt: end,
    endedAt: moment.nullable().describe('When the invitation was accepted, declined or revoked.'),
  })
  .meta({ id: 'Invitation', description: 'An invitation to a tenant, by email address.' });
export type Invitation = z.input<typeof Invitation>;

export const CreateInvitationBody = z
  .object({
    email: z.email().max(254).toLowerCase().describe('The address of the invited person.'),
    role: InvitedRole.describe(
      '`responder`: the person works in the inbox of some bots, and sees nothing else of the tenant.',
    ),
    botIds: botIds.default([]),
    language: z
      .string()
      .refine(isLanguageTag, 'must be a language tag such as de or pt-BR')
      .optional()
      .describe('The language of the email. Defaults to English, which is also used for unknown languages.'),
  })
  .superRefine(({ role, botIds: { length } }, ctx) => {
    if (role === 'responder' && length === 0)
      ctx.addIssue({ code: 'custom', path: ['botIds'], message: 'a responder needs at least one bot' });
    if (role !== 'responder' && length > 0)
      ctx.addIssue({ code: 'custom', path: ['botIds'], message: 'only a responder is invited to bots' });
  })
  .meta({ examples: [{ email: 'anna@example.com', role: 'member', language: 'de' }] });
export type CreateInvitationBody = z.output<typeof CreateInvitationBody>;

const ListInvitationsQuery = sortedPageQuery(
  { createdAt: 'id', email: 'text' },
  {
    usual: '-createdAt',
    filters: {
      q: SearchText.optional().describe('Part of the address. Case-insensitive.'),
      state: InvitationState.optional().describe('Only invitations whose current state is this one.'),
    },
  },
);
export type ListInvitationsQuery = z.output<typeof ListInvitationsQuery>;

/** An invitation as the invited person sees it. */
const OwnInvitation = z
  .object({
    invitationId: id,
    tenantId: id,
    tenantName: z.string().describe('The name of the tenant. Its admins can set it to any text.'),
    role: InvitedRole.describe('The role that the person gets.'),
    createdAt: moment,
    expiresAt: end,
  })
  .meta({ id: 'OwnInvitation', description: "An invitation to the caller's own address." });

const path = '/tenants/:tenantId/invitations';

/** The part of `/api/bots` that is about invitations. */
export const invitationRoutes = {
  listInvitations: admin.list(path, {
    summary: 'List the invitations to a tenant.',
    description: 'Ended invitations are kept for 90 days.',
    query: ListInvitationsQuery,
    response: z.array(Invitation),
  }),
  createInvitation: admin.post(path, {
    summary: 'Invite a person by email address.',
    description:
      "An email with a link is sent through the installation's account. If that is not possible, the invitation is still created, " +
      'with `mail: not_sent`. It is accepted with `POST /api/auth/invitations/:invitationId/accept`, by a person who has signed in ' +
      `with that address, verified. It expires after ${invitationDays} days. Returns 409 if the address ` +
      'belongs to a member who has visited the tenant, if an invitation to it is pending, or if ' +
      `${maxPendingInvitations} are pending. Returns 404 for a bot of another tenant, and 503 if there is no identity ` +
      'provider.',
    body: CreateInvitationBody,
    response: Invitation,
    status: 201,
    errors: [404, 409, 503],
  }),
  deleteInvitation: admin.delete(`${path}/:invitationId`, {
    summary: 'Revoke an invitation.',
    description:
      'The invitation stays in the list. Returns 409 if it was accepted or declined, or has expired.',
    errors: [409],
  }),
  resendInvitation: admin.post(`${path}/:invitationId/resend`, {
    summary: 'Send the email of an invitation again.',
    description:
      'Returns 409 if the invitation is no longer pending, or if its email was requested within the last minute.',
    response: Invitation,
    errors: [409],
  }),
};

/** The part of `/api/auth` that is about the caller's own invitations. */
export const ownInvitationRoutes = {
  listOwnInvitations: authenticated.list('/invitations', {
    summary: "List the invitations to the caller's own address that can be accepted.",
    description:
      'Only an address that the identity provider has verified counts. Otherwise the list is empty.',
    response: z.array(OwnInvitation),
    errors: [503],
  }),
  acceptInvitation: authenticated.post('/invitations/:invitationId/accept', {
    summary: 'Accept an invitation: the caller becomes a member, an admin or a responder.',
    description:
      'Accepting twice has no further effect. Returns 404 if the invitation is not for the caller. Returns 409 if ' +
      'it was declined or revoked, has expired, or if none of its bots exists any more. A caller who already belongs to ' +
      'the tenant keeps their role.',
    response: OwnInvitation,
    errors: [409, 503],
  }),
  declineInvitation: authenticated.post('/invitations/:invitationId/decline', {
    summary: 'Decline an invitation.',
    description: 'Returns the same errors as accepting.',
    errors: [409, 503],
  }),
};
