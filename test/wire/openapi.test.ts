import { expect, test } from "vitest";
import { openapi } from "../../src/wire/openapi.ts";
import { routes } from "../../src/wire/routes.ts";

interface Operation {
  readonly operationId: string;
  readonly responses: Record<string, unknown>;
  readonly requestBody?: { content: Record<string, { schema: { type: string; properties: Record<string, unknown> } }> };
}
const document = openapi() as { openapi: string; info: { version: string }; paths: Record<string, Record<string, Operation>> };

test("OpenAPI 3.1.0, interface version 1.0.0, every route once", () => {
  expect(document.openapi).toBe("3.1.0");
  expect(document.info.version).toBe("1.0.0");
  const names = Object.values(document.paths).flatMap((path) => Object.values(path).map((operation) => operation.operationId));
  expect(names.sort()).toEqual(Object.keys(routes).sort());
});

test("each operation documents one structured error and two or three simple ones", () => {
  for (const path of Object.values(document.paths))
    for (const { responses } of Object.values(path)) {
      const problems = Object.keys(responses).filter((status) => Number(status) >= 400);
      expect(problems.slice(0, 3)).toEqual(["400", "401", "403"]);
      expect(problems.length).toBeLessThanOrEqual(4);
    }
});

test("request bodies come from the same schemas as the handlers' checks", () => {
  const body = document.paths["/api/v1/sessions"]?.["post"]?.requestBody?.content["application/json"]?.schema;
  expect(body?.type).toBe("object");
  expect(Object.keys(body?.properties ?? {})).toEqual(
    expect.arrayContaining(["branch_name", "auto_commit", "model", "repository_id", "base_commit"]),
  );
});
