import type { PermissionOption, RequestPermissionOutcome, RequestPermissionRequest } from "@agentclientprotocol/sdk";
import { type Ask, optionNamed } from "./question.ts";

/** Who says what an agent may do in its sandbox: nobody, since the sandbox is the fence, or the user. */
export type PermissionPolicy = "allow" | "ask";

const canceled: RequestPermissionOutcome = { outcome: "cancelled" };

/** The answer to an agent that asks permission, by the policy. */
export async function permit(
  { toolCall, options }: RequestPermissionRequest,
  policy: PermissionPolicy,
  ask: Ask,
): Promise<RequestPermissionOutcome> {
  if (policy === "allow") return outcome(ofKind(options, "allow_once") ?? ofKind(options, "allow_always"));
  const reply = await ask({
    question: `May the agent do this? ${deedOf(toolCall)}`.trimEnd(),
    options: options.map(({ optionId, name }) => ({ id: optionId, name })),
  });
  if (reply === undefined) return canceled;
  return outcome(chosen(options, reply) ?? ofKind(options, "reject_once") ?? ofKind(options, "reject_always"));
}

/** opencode names the file alone, and what is to become of it as the call's kind. */
function deedOf({ title, kind }: RequestPermissionRequest["toolCall"]): string {
  const said = title ?? "";
  return /^\/\S+$/u.test(said) && kind != null && kind !== "other" ? `${kind} ${said}` : said;
}

/** What is neither an option nor a plain yes is a no: a permission is never guessed. */
function chosen(options: readonly PermissionOption[], reply: string): PermissionOption | undefined {
  if (/^(y|yes|ok|allow)$/iu.test(reply.trim())) return ofKind(options, "allow_once");
  return optionNamed(
    options.map((option) => ({ ...option, id: option.optionId })),
    reply,
  );
}

function ofKind(options: readonly PermissionOption[], kind: PermissionOption["kind"]): PermissionOption | undefined {
  return options.find((option) => option.kind === kind);
}

function outcome(option: PermissionOption | undefined): RequestPermissionOutcome {
  return option === undefined ? canceled : { outcome: "selected", optionId: option.optionId };
}
