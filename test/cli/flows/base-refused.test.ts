import { expect, test } from "vitest";
import { FerryError } from "../../../src/base/errors.ts";
import { namingSetting, sessionRefused } from "../../../src/cli/flows/session/refused.ts";

const service = { name: "a.example", argument: "" };
const wanted = { base_branch: "topic", base_commit: "0123456789abcdef0123456789abcdef01234567" };

test.each([
  [
    { code: "unknown_branch" },
    'base_branch: local/shop has no branch "topic"',
    "a.example finds no branch topic in the repository",
    "push it (git push -u REMOTE topic), or begin at one that is there: --base BRANCH",
  ],
  [
    {},
    "base_commit is unknown",
    "a.example can't get the commit 0123456789ab from the repository",
    "push the branch that has it, or begin at one that is there: --base BRANCH",
  ],
])("a base that the service doesn't have is told with what to push: %j %s", (more, said, message, hint) => {
  const error = new FerryError("usage", said, { status: 422, ...more });
  expect(sessionRefused(error, service, wanted)).toMatchObject({ kind: "usage", status: 422, message, hint });
});

test("any other refusal stays as it is", () => {
  const error = new FerryError("usage", "branch_name: is taken", { status: 422, code: "branch_name_taken" });
  expect(sessionRefused(error, service, wanted)).toBe(error);
});

test("a repository that is disabled is told with what enables it", () => {
  const error = new FerryError("failure", "the repository acme/shop is disabled", { status: 409 });
  expect(sessionRefused(error, service, { ...wanted, repository_id: "rep_wy9nfd514wr24ph3" })).toMatchObject({
    message: "the repository acme/shop is disabled",
    status: 409,
    hint: "ferry repo edit rep_wy9nfd514wr24ph3 --enable",
  });
});

test("a model that a setting says is told by its name, another one as it is", () => {
  const error = new FerryError("usage", 'model: there is no agent "nope" here', { status: 422, code: "unknown_model" });
  expect(namingSetting(error, "FERRY_AGENT")).toMatchObject({
    ...{ kind: "usage", status: 422, code: "unknown_model" },
    message: 'FERRY_AGENT: there is no agent "nope" here',
  });
  expect(namingSetting(error, undefined)).toBe(error);
  const other = new FerryError("usage", "branch_name: is taken");
  expect(namingSetting(other, "FERRY_AGENT")).toBe(other);
});
