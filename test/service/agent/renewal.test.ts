import { describe, expect, test } from "vitest";
import { isRenewable, renewed } from "../../../src/service/agent/sign-in/renewal.ts";

const merge = (kept: unknown, inside: unknown): unknown => {
  const text = renewed(JSON.stringify(kept), JSON.stringify(inside));
  return text === undefined ? undefined : (JSON.parse(text) as unknown);
};

describe("what is renewed", () => {
  test.each([
    [
      "Codex",
      {
        OPENAI_API_KEY: null,
        tokens: { id_token: "i0", access_token: "a0", refresh_token: "r0", account_id: "acc" },
        last_refresh: "2026-01-01T00:00:00Z",
      },
      {
        OPENAI_API_KEY: null,
        tokens: { id_token: "i1", access_token: "a1", refresh_token: "r1", account_id: "acc" },
        last_refresh: "2026-02-01T00:00:00Z",
      },
    ],
    [
      "Gemini CLI and Qwen",
      { access_token: "a0", refresh_token: "r0", scope: "s", token_type: "Bearer", expiry_date: 1 },
      { access_token: "a1", refresh_token: "r0", scope: "s", token_type: "Bearer", expiry_date: 2, id_token: "i1" },
    ],
    [
      "Claude Code",
      { claudeAiOauth: { accessToken: "a0", refreshToken: "r0", expiresAt: 1, scopes: ["x"] } },
      { claudeAiOauth: { accessToken: "a1", refreshToken: "r1", expiresAt: 2, scopes: ["x"] } },
    ],
    [
      "opencode",
      { anthropic: { type: "oauth", refresh: "r0", access: "a0", expires: 1 } },
      { anthropic: { type: "oauth", refresh: "r1", access: "a1", expires: 2 } },
    ],
  ])("of %s's file is taken over", (_, kept, inside) => {
    expect(merge(kept, inside)).toEqual(inside);
  });

  test("is taken over alone: nothing that says where a token goes, who it is of or what is run", () => {
    const kept = { access_token: "a0", token_uri: "https://good.example", account_id: "ada", mcpServers: {} };
    const inside = {
      access_token: "a1",
      token_uri: "https://evil.example",
      tokenEndpoint: "https://evil.example",
      refresh_command: "sh",
      account_id: "eve",
      mcpServers: { x: { command: "sh", token: "t" } },
      security: { token: "t" },
      expires: ["sh"],
    };
    expect(merge(kept, inside)).toEqual({ ...kept, access_token: "a1" });
  });
});

test.each([
  ["the same", '{"access_token":"a0"}'],
  ["the same in other words", '{ "access_token" : "a0", "scope": "more" }'],
  ["half of it", '{"access_token":"a1'],
  ["nothing", ""],
  ["another thing", '["a1"]'],
  ["a token that is none", '{"access_token":"a1\\u001b[2J"}'],
  ["a token without an end", JSON.stringify({ access_token: "a".repeat(20_000) })],
  ["an object for a token", '{"access_token":{"token":"a1"}}'],
  ["a trap of JavaScript's", '{"__proto__":{"access_token":"a1"}}'],
])("%s renews nothing", (_, inside) => {
  expect(renewed('{"access_token":"a0"}', inside)).toBeUndefined();
});

test("what isn't JSON is left as the user's own sign-in wrote it", () => {
  expect(renewed("token of ada", '{"access_token":"a1"}')).toBeUndefined();
  expect(["token of ada", "[]", '{"a":1}'].map(isRenewable)).toEqual([false, false, true]);
});
