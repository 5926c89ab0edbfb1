/**
 * What may be told of an error that the engine made of a fault in the program: its kind, and its words where they are known to name
 * parts of the program alone. Of all others the engine quotes the values that it stumbled over, and any may be a key: a pattern,
 * a text that is no JSON, what was looked up in it.
 */
export function describeFault(error: Error): string {
  const name = /^\w{1,60}$/u.test(error.name) ? error.name : "Error";
  return isQuoting(error) ? name : `${name}: ${error.message}`;
}

/** Where it happened, a line for each call, without the message before them. */
export function framesOf({ message, stack = "" }: Error): readonly string[] {
  const lines = stack.slice(stack.indexOf(message) + message.length).split("\n");
  return lines.slice(lines.findLastIndex((line) => !line.startsWith("    at ")) + 1);
}

const engines: ReadonlySet<string> = new Set([
  "DataCloneError",
  "EvalError",
  "RangeError",
  "ReferenceError",
  "SyntaxError",
  "TypeError",
  "URIError",
]);

const plain =
  /^(?:Cannot (?:read|set) properties of (?:undefined|null) \((?:reading|setting) '\w{1,40}'\)|[\w.$]{1,80} is not (?:a function|a constructor|iterable|defined))$/u;

function isQuoting({ name, message }: Error): boolean {
  return engines.has(name) && !plain.test(message);
}
