import fc from "fast-check";
import { expect, test } from "vitest";
import { BoundedOutput } from "../../../src/service/agent/bounded-output.ts";

const chunks = fc.array(fc.string({ unit: fc.constantFrom("a", "b", "\n"), maxLength: 40 }), { maxLength: 60 });

test("keeps the first and the last bytes, and counts what lies between", () => {
  fc.assert(
    fc.property(chunks, fc.integer({ min: 1, max: 40 }), (parts, half) => {
      const output = new BoundedOutput(2 * half);
      for (const part of parts) output.push(Buffer.from(part));
      const all = parts.join("");
      expect(output.cut).toBe(Math.max(0, all.length - 2 * half));
      const text = output.text();
      if (output.cut === 0) expect(text).toBe(all);
      else expect(text).toBe(`${all.slice(0, half)}\n[… ${output.cut} bytes left out …]\n${all.slice(-half)}`);
      expect(output.text()).toBe(text);
    }),
  );
});
