import { z } from "zod";
import { contract, type Operation } from "./contract.ts";
import { simpleProblem, structuredProblem } from "./problem.ts";
import { routes, type Route, type RouteName } from "./routes.ts";
import { acceptedScopes } from "./values.ts";

type Json = Record<string, unknown>;

/** The OpenAPI 3.1.0 document (interface version 1.0.0), made from the same schemas as client and service. */
export function openapi(): Json {
  const paths: Record<string, Json> = {};
  for (const name of Object.keys(routes) as RouteName[]) {
    const route: Route = routes[name];
    (paths[route.path] ??= {})[route.method.toLowerCase()] = operation(name, route, contract[name]);
  }
  return {
    openapi: "3.1.0",
    info: { title: "Coding agent service", version: "1.0.0", license: { name: "MIT", identifier: "MIT" } },
    servers: [{ url: "/" }],
    security: [{ key: [] }, { bearer: [] }],
    paths,
    components: {
      securitySchemes: {
        key: { type: "apiKey", in: "header", name: "x-api-key" },
        bearer: { type: "http", scheme: "bearer" },
      },
      schemas: { StructuredProblem: schema(structuredProblem, "output"), SimpleProblem: schema(simpleProblem, "output") },
    },
  };
}

function operation(name: RouteName, route: Route, { summary, query, body, answer, status, media }: Operation): Json {
  const params = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, param]) => ({
    name: param,
    in: "path",
    required: true,
    schema: { type: "string", minLength: 1 },
  }));
  const content: Json = { "application/json": { schema: schema(answer, "output") } };
  for (const type of media ?? []) content[type] = { schema: { type: "string" } };
  return {
    operationId: name,
    summary,
    description: route.resource
      ? `Scopes, one of: ${acceptedScopes(route.resource, route.access).join(", ")}.`
      : "Any valid key.",
    ...(route.extension && { "x-extension": true }),
    parameters: [...params, ...queryParameters(query)],
    ...(body && { requestBody: { required: true, content: { "application/json": { schema: schema(body, "input") } } } }),
    responses: {
      [status]: { description: "Done", content },
      "400": problem("The request is not valid; the message names the field", "StructuredProblem"),
      "401": problem("No key, or one that is not valid", "SimpleProblem"),
      "403": problem("The key has none of the scopes", "SimpleProblem"),
      ...(params.length > 0 && { "404": problem("There is no such thing", "SimpleProblem") }),
    },
  };
}

function queryParameters(query: z.ZodObject | undefined): Json[] {
  if (!query) return [];
  const { properties, required } = schema(query, "output") as { properties?: Record<string, Json>; required?: string[] };
  return Object.entries(properties ?? {}).map(([name, property]) => ({
    name,
    in: "query",
    required: required?.includes(name) ?? false,
    schema: property,
  }));
}

function problem(description: string, name: "StructuredProblem" | "SimpleProblem"): Json {
  return { description, content: { "application/json": { schema: { $ref: `#/components/schemas/${name}` } } } };
}

/** OpenAPI 3.1's schema dialect is JSON Schema 2020-12; the document says so once, not each schema. */
function schema(type: z.ZodType, io: "input" | "output"): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(type, { target: "draft-2020-12", io });
  return rest;
}
