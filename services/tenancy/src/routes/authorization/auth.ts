import type { authRouter } from '@botyard/contracts/http/auth';
import type { Handlers } from '@botyard/shared/http/mount';
import type { Deps } from '../../deps.ts';
import { ownInvitationHandlers } from '../invitations.ts';
import { chatRuleHandlers } from './auth-chat-rules.ts';
import { authPolicyHandlers } from './auth-policies.ts';
import { authTokenHandlers } from './auth-tokens.ts';

export const authHandlers: Handlers<typeof authRouter, Deps> = {
  ...authPolicyHandlers,
  ...chatRuleHandlers,
  ...authTokenHandlers,
  ...ownInvitationHandlers,
};
