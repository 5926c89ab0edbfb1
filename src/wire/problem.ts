import { z } from "zod";

/** The structured error of the seed. */
export const structuredProblem = z.object({
  statusCode: z.number().int(),
  code: z.string(),
  error: z.string(),
  message: z.string(),
});
/** The simple one. */
export const simpleProblem = z.object({ error: z.string() });

export type StructuredProblem = z.infer<typeof structuredProblem>;
export type SimpleProblem = z.infer<typeof simpleProblem>;
