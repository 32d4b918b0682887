import type { TriageRecord } from '@botyard/shared/contracts/agents';
import MiniSearch from 'minisearch';

/** What triage knows of an agent. */
export interface TriageAgent {
  id: string;
  name: string;
  description: string;
  keywords: readonly string[];
}

export interface TriageInput {
  message: string;
  /** In the bot's order: the first is its default. */
  agents: readonly TriageAgent[];
  stickyAgentId: string | null;
}

const fields = ['name', 'keywords', 'description'] as const;
const boost = { name: 3, keywords: 4, description: 1 };

/** The agent of the conversation stays unless another fits better by more than this. */
const stickyScore = 3;
/** The bot's default wins when nothing speaks for anybody. */
const defaultScore = 0.5;

/**
 * Which agent answers a message, and why. The one code path of routing and preview: the same input gives the same
 * record, best candidate first (decisions 7).
 */
export function triage({ message, agents, stickyAgentId }: TriageInput): TriageRecord {
  const matches = agents.length > 1 ? matchWords(message, agents) : new Map<string, Match>();
  const candidates = agents.map((agent, index) => {
    const match = matches.get(agent.id);
    const reasons = [...(match?.reasons ?? [])];
    let score = match?.score ?? 0;
    if (agent.id === stickyAgentId) {
      score += stickyScore;
      reasons.push('answered last in this conversation');
    }
    if (index === 0) {
      score += defaultScore;
      reasons.push(agents.length === 1 ? "the bot's only agent" : "the bot's default");
    }
    return { agentId: agent.id, score: Math.round(score * 1000) / 1000, reasons };
  });
  // The sort is stable, so that equals stay in the bot's order.
  candidates.sort((left, right) => right.score - left.score);
  return { agentId: candidates[0]?.agentId ?? null, candidates };
}

interface Match {
  score: number;
  reasons: string[];
}

function matchWords(message: string, agents: readonly TriageAgent[]): Map<string, Match> {
  const index = new MiniSearch<Record<string, string>>({ fields: [...fields], idField: 'id' });
  index.addAll(
    agents.map(({ id, name, description, keywords }) => ({
      id,
      name,
      description,
      keywords: keywords.join(' '),
    })),
  );
  const results = index.search(message.slice(0, 2000), {
    boost,
    prefix: (term) => term.length >= 5,
    fuzzy: (term) => (term.length >= 6 ? 0.15 : false),
  });
  return new Map(results.map(({ id, score, match }) => [id as string, { score, reasons: reasonsOf(match) }]));
}

/** `keywords: refund, invoice`, in a fixed order of fields and words. */
function reasonsOf(match: Readonly<Record<string, string[]>>): string[] {
  return fields.flatMap((field) => {
    const words = Object.entries(match)
      .filter(([, matchedFields]) => matchedFields.includes(field))
      .map(([word]) => word)
      .sort();
    return words.length > 0 ? [`${field}: ${words.join(', ')}`] : [];
  });
}
