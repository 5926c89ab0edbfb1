/** What calls of models took. */
export interface Usage {
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** A line of an answer beyond this many characters is not looked at. */
const longestLine = 1024 * 1024;

/** The names under which providers report the tokens that a call took, over all of them. */
const inputNames = ["input_tokens", "prompt_tokens", "promptTokenCount"];
const outputNames = ["output_tokens", "completion_tokens", "candidatesTokenCount"];

/** Reads along while an answer passes, for what it says of its usage. Streams report it more than once, growing: the most counts. */
export class UsageMeter {
  private rest = "";
  private readonly decoder = new TextDecoder();
  inputTokens = 0;
  outputTokens = 0;

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

  /** A line of an event stream, or of JSON that is no stream: then numbers stand by themselves on it, or all on one line. */
  private read(line: string): void {
    if (line.length > longestLine) return;
    for (const [, name = "", number = ""] of line.matchAll(/"(\w+)"\s*:\s*(\d{1,12})\b/gu)) {
      if (inputNames.includes(name)) this.inputTokens = Math.max(this.inputTokens, Number(number));
      if (outputNames.includes(name)) this.outputTokens = Math.max(this.outputTokens, Number(number));
    }
  }
}
