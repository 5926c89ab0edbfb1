import type { Session } from "../../../wire/resources.ts";
import type { Usage } from "../../agent/gateway/usage.ts";

/** What one turn took: what the gateway counted, and what the agent says that it cost. */
export interface TurnUsage extends Usage {
  /** In USD; undefined where the agent says nothing of it. */
  readonly cost: number | undefined;
}

/** A session's usage with one more turn; undefined where nothing is known of any. */
export function withTurn(before: Session["usage"], turn: TurnUsage): Session["usage"] {
  if (turn.calls === 0 && turn.cost === undefined) return before;
  const cost = turn.cost === undefined ? before?.cost_usd : (before?.cost_usd ?? 0) + turn.cost;
  return {
    model_calls: (before?.model_calls ?? 0) + turn.calls,
    input_tokens: (before?.input_tokens ?? 0) + turn.inputTokens,
    output_tokens: (before?.output_tokens ?? 0) + turn.outputTokens,
    // Sums of fractions of a cent: what is beyond a millionth of a dollar is rounding.
    ...(cost !== undefined && { cost_usd: Math.round(cost * 1e6) / 1e6 }),
  };
}

/**
 * What is new in an agent's account of its session. It tells a sum, which grows (ACP, usage_update); one that is less than before begins
 * anew.
 */
export function newCost(total: number, before: number): number {
  return total >= before ? total - before : total;
}
