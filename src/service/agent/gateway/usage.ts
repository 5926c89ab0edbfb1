/** What calls of models took. */
export interface Usage {
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export const noUsage: Usage = { calls: 0, inputTokens: 0, outputTokens: 0 };

/** A line of an answer beyond this many characters is not looked at. */
const longestLine = 1024 * 1024;

/**
 * The names under which providers report the tokens that a call took, over all of them. Anthropic has those that its cache took or gave
 * beside the others, Google those that a model thought with.
 */
const inputNames = ["input_tokens", "prompt_tokens", "promptTokenCount"];
const cacheNames = ["cache_creation_input_tokens", "cache_read_input_tokens"];
const outputNames = ["output_tokens", "completion_tokens", "candidatesTokenCount"];
const thoughtNames = ["thoughtsTokenCount"];
const known = new Set([...inputNames, ...cacheNames, ...outputNames, ...thoughtNames]);

/** Reads along while an answer passes, for what it says of its usage. Streams report it more than once, growing: the most counts. */
export class UsageMeter {
  private rest = "";
  private readonly decoder = new TextDecoder();
  private readonly most = new Map<string, number>();

  push(chunk: Uint8Array): void {
    const lines = (this.rest + this.decoder.decode(chunk, { stream: true })).split("\n");
    this.rest = lines.pop() ?? "";
    if (this.rest.length > longestLine) this.rest = "";
    for (const line of lines) this.read(line);
  }

  end(): void {
    this.read(this.rest);
    this.rest = "";
  }

  get inputTokens(): number {
    return this.greatest(inputNames) + this.sum(cacheNames);
  }

  get outputTokens(): number {
    return this.greatest(outputNames) + this.sum(thoughtNames);
  }

  /** A line of an event stream, or of JSON that is no stream: then numbers stand by themselves on it, or all on one line. */
  private read(line: string): void {
    if (line.length > longestLine) return;
    for (const [, name = "", number = ""] of line.matchAll(/"(\w+)"\s*:\s*(\d{1,12})\b/gu))
      if (known.has(name)) this.most.set(name, Math.max(this.most.get(name) ?? 0, Number(number)));
  }

  private greatest(names: readonly string[]): number {
    return Math.max(...names.map((name) => this.most.get(name) ?? 0));
  }

  private sum(names: readonly string[]): number {
    return names.reduce((total, name) => total + (this.most.get(name) ?? 0), 0);
  }
}
