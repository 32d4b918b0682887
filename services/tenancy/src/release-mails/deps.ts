import type { Deps as InvitationsDeps } from '../invitations/deps.ts';

export type Deps = InvitationsDeps;
