import type { Deps as AdmissionDeps } from '../admission/deps.ts';
import type { VerifyDelivery } from './domain/verify-delivery.ts';

export interface Deps extends AdmissionDeps {
  /** `null` without IDP_WEBHOOK_SECRET: then all deliveries of the identity provider are refused. */
  verifyIdpDelivery: VerifyDelivery | null;
}
