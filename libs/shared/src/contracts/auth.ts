import { defineRouter } from '../http/contract.ts';
import { chatRuleRoutes } from './auth-chat-rules.ts';

export const authRouter = defineRouter({
  basePath: '/api/auth',
  service: 'tenancy',
  description: "Who may do what in the active tenant, and whom its bots hear. It's no login endpoint.",
  routes: { ...chatRuleRoutes },
});
