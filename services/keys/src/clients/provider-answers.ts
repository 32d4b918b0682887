import type { Provider } from '@botyard/contracts/http/provider';
import { tryParseForeignJson } from '@botyard/shared/json/parse-json';

/** The meaning of a provider's answer for a key. A genuine but limited key is not invalid. */
export type ProviderOutcome =
  | 'accepted'
  | 'restricted'
  | 'without credit'
  | 'on hold'
  | 'refused'
  | 'limited'
  | 'timeout'
  | 'unreachable'
  | 'failing'
  | 'not understood';

export interface ProviderAnswer {
  status: number;
  /** The beginning of the body. */
  text: string;
  /** The body was longer. */
  isCut: boolean;
}

const creditCodes = new Set([
  'insufficient_quota',
  'billing_not_active',
  'billing_hard_limit_reached',
  'credit_balance_exhausted',
  'project_spend_limit_exceeded',
  'organization_spend_limit_exceeded',
  'organization_usage_limit_exceeded',
  'enforced_spend_limit_reached',
  'contract_spend_limit_reached',
]);

/** The beginning of a list of models, for lists too long to be read. */
const listStart = /^\s*\{\s*"(?:object"\s*:\s*"list"|data"\s*:\s*\[\s*\{)/;

/** A 401 without a code, whose text states what the key may not do, or from where: only genuine keys get that. */
const restriction = /missing scopes|insufficient permissions|\bIP\b.*\bnot (?:authorized|allowed)/i;

/** Reads the answer to `GET …/models`. The provider's own text isn't passed on. */
export function outcomeOf(provider: Provider, { status, text, isCut }: ProviderAnswer): ProviderOutcome {
  const body = tryParseForeignJson(text);
  if (status === 200)
    return isModelList(body) || (isCut && listStart.test(text)) ? 'accepted' : 'not understood';
  if (status >= 500 || status === 408) return 'failing';
  const error = errorOf(body);
  if (status === 429) return error.codes.some((code) => creditCodes.has(code)) ? 'without credit' : 'limited';
  // An intermediary has answered. A private server's refusal can have any form.
  if (!error.isThere && provider !== 'private-llm') return 'not understood';
  switch (status) {
    case 401:
      return isRestriction(error) ? 'restricted' : 'refused';
    case 402:
      return 'without credit';
    case 403:
      return 'restricted';
    case 400:
      return error.codes.includes('organization_on_hold') ? 'on hold' : 'not understood';
    default:
      return 'not understood';
  }
}

interface ProviderError {
  isThere: boolean;
  codes: readonly string[];
  hasCode: boolean;
  message: string;
}

const isRestriction = ({ codes, hasCode, message }: ProviderError): boolean =>
  codes.includes('ip_not_authorized') || (!hasCode && restriction.test(message));

type Fields = Readonly<Record<string, unknown>>;
const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {};

/** `{ error: { type, code, message, details: { error_code } } }`, or `{ error: "Unauthorized" }`. */
function errorOf(body: unknown): ProviderError {
  const { error } = fieldsOf(body);
  const { code, type, message, details } = fieldsOf(error);
  const codes = [code, type, fieldsOf(details).error_code];
  return {
    isThere: error !== undefined && error !== null,
    codes: codes.filter((value) => typeof value === 'string'),
    hasCode: typeof code === 'string',
    message: typeof message === 'string' ? message : '',
  };
}

const isModelList = (body: unknown): boolean => Array.isArray(fieldsOf(body).data);
