/**
 * Cuts a stream into its lines. What isn't ended by one is none.
 * @throws Error for a line of more than `limit` bytes, before it is held
 */
export async function* linesOf(stream: AsyncIterable<Uint8Array>, limit: number): AsyncGenerator<string> {
  let parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    let from = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
      const line = Buffer.concat([...parts, chunk.subarray(from, end)]);
      if (line.length > limit) throw new Error(`a line of more than ${limit} bytes`);
      [parts, size, from] = [[], 0, end + 1];
      yield line.toString("utf8");
    }
    parts.push(chunk.subarray(from));
    size += chunk.length - from;
    if (size > limit) throw new Error(`a line of more than ${limit} bytes`);
  }
}
