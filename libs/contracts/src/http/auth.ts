import { chatRuleRoutes } from './auth-chat-rules.ts';
import { authPolicyRoutes } from './auth-policies.ts';
import { defineRouter } from './contract.ts';
import { ownInvitationRoutes } from './invitations.ts';

export const authRouter = defineRouter({
  basePath: '/api/auth',
  service: 'tenancy',
  description:
    "Policies, mutes, chat rules and grants of the active tenant, and the caller's own invitations. These routes " +
    "do not sign anybody in. A tenant's own policies do not apply to them, so that no policy can lock the tenant out.",
  routes: { ...authPolicyRoutes, ...chatRuleRoutes, ...ownInvitationRoutes },
});
