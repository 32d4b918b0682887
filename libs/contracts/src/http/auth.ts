import { chatRuleRoutes } from './auth-chat-rules.ts';
import { authPolicyRoutes } from './auth-policies.ts';
import { authTokenRoutes } from './auth-tokens.ts';
import { defineRouter } from './contract.ts';
import { ownInvitationRoutes } from './invitations.ts';

export const authRouter = defineRouter({
  basePath: '/api/auth',
  service: 'tenancy',
  description:
    "Who and what the active tenant lets do what, whom its bots hear, its API tokens, and the caller's invitations; it's no login endpoint. A tenant's own " +
    'policies do not bind these routes, so that none can lock it out.',
  routes: { ...authPolicyRoutes, ...chatRuleRoutes, ...authTokenRoutes, ...ownInvitationRoutes },
});
