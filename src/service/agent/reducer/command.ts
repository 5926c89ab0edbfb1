import type { Payloads } from "../../../wire/event.ts";
import { BoundedOutput } from "../bounded-output.ts";
import { type Call, isOver } from "./call.ts";
import { fieldsOf, listIn, numberIn, textIn } from "./fields.ts";

type Command = Payloads["agent_run_repository_command"];

/** What a timeline shows of an output; agents cut theirs long before, or not at all. */
const outputLimit = 64 * 1024;

/** A command as an event, while it runs and when it is over. */
export function commandPayload(call: Call, repositoryId: string): Command {
  const raw = fieldsOf(call.rawOutput);
  const [said, exitSaid] = report(outputOf(call), commandOf(call)) ?? exitLine(outputOf(call));
  const { text, cut } = bounded(said);
  const exit = numberIn(raw, "exit_code", "exitCode") ?? numberIn(fieldsOf(raw["metadata"]), "exit") ?? exitOf(call, exitSaid);
  const signal = textIn(raw, "signal") || textIn(call.terminal.exit, "signal");
  const duration = numberIn(raw, "duration_ms");
  const left = (numberIn(raw, "cut") ?? 0) + cut;
  return {
    type: "agent_run_repository_command",
    repository_id: repositoryId,
    command: bounded(commandOf(call)).text,
    output: text,
    exit_code: exit ?? null,
    ...(signal !== "" && { signal }),
    ...(duration !== undefined && { duration_ms: duration }),
    ...(left > 0 && { cut: left }),
  };
}

/** A text, or an argv whose last word is the script of `sh -c`. */
function commandOf({ input, title }: Call): string {
  const text = textIn(input, "command", "cmd");
  if (text !== "") return text;
  const words = listIn(input, "command").filter((word) => typeof word === "string");
  if (words.length === 3 && /^(.*\/)?(ba|z|da)?sh$/u.test(words[0] ?? "") && /^-l?c$/u.test(words[1] ?? ""))
    return words[2] ?? title;
  return words.length > 0 ? words.join(" ") : title;
}

function outputOf(call: Call): string {
  if (call.terminal.output !== "") return call.terminal.output;
  const raw = fieldsOf(call.rawOutput);
  const told = textIn(raw, "formatted_output", "aggregated_output");
  if (call.content === "") return told !== "" || typeof call.rawOutput !== "string" ? told : call.rawOutput;
  // Until there is output some say what the command is for.
  if (!isOver(call) && call.content === textIn(call.input, "description")) return "";
  return unfenced(call.content);
}

/** Claude's adapter sets output into a block of Markdown, and says so where there is none. */
function unfenced(text: string): string {
  const [, inner] = /^(?:```+)(?:console)?\n([\s\S]*?)\n?(?:```+)\s*$/u.exec(text) ?? [];
  if (inner === undefined) return text;
  return inner === "(Bash completed with no output)" ? "" : inner;
}

/** Qwen sets output into a report, with a line for each thing that there is to say. */
function report(output: string, command: string): [string, number | undefined] | undefined {
  const begin = `Command: ${command}\nDirectory: `;
  if (!output.startsWith(begin)) return undefined;
  const [, inner, code] =
    /^[^\n]*\nOutput: ([^]*)\nError: [^]*\nExit Code: (\d{1,3}|\(none\))\nSignal: /u.exec(output.slice(begin.length)) ?? [];
  if (inner === undefined) return undefined;
  return [inner === "(empty)" ? "" : inner, code === "(none)" ? undefined : Number(code)];
}

/** Claude's first line says how a command failed. */
function exitLine(output: string): [string, number | undefined] {
  const [line, code] = /^Exit code (\d{1,3})\n?/u.exec(output) ?? [];
  return line === undefined ? [output, undefined] : [output.slice(line.length), Number(code)];
}

function exitOf({ terminal, tool, status }: Call, said: number | undefined): number | undefined {
  const exit = numberIn(terminal.exit, "exit_code", "exitCode");
  if (exit !== undefined || said !== undefined) return exit ?? said;
  return tool === "bash" && status === "completed" ? 0 : undefined;
}

function bounded(text: string): { text: string; cut: number } {
  if (text.length <= outputLimit / 4) return { text, cut: 0 };
  const output = new BoundedOutput(outputLimit);
  output.push(Buffer.from(text));
  return { text: output.text(), cut: output.cut };
}
