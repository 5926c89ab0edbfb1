import { expect, test } from "vitest";
import { modelVariables, withModelVariables } from "../../../src/service/agent/key-file.ts";

test("of an environment's variables for models no secret is told", () => {
  const env = {
    PATH: "/usr/bin",
    OPENAI_API_KEY: "secret",
    GEMINI_API_KEY: "",
    OPENAI_BASE_URL: "http://127.0.0.1:8080/v1",
    ANTHROPIC_BASE_URL: "https://user:secret@models.example",
    GOOGLE_GEMINI_BASE_URL: "https://models.example/?key=secret",
  };
  const told = modelVariables(env);
  expect(told).toEqual({
    OPENAI_API_KEY: "…",
    OPENAI_BASE_URL: "http://127.0.0.1:8080/v1",
    ANTHROPIC_BASE_URL: "…",
    GOOGLE_GEMINI_BASE_URL: "…",
  });
  expect(withModelVariables({ PATH: "/bin", ANTHROPIC_API_KEY: "other" }, told)).toEqual({ PATH: "/bin", ...told });
});
