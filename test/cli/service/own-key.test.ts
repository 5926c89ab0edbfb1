import { expect, test } from "vitest";
import { ferry } from "../../support/ferry.ts";
import { useLocalService } from "../../support/local.ts";

const world = useLocalService();
const whoami = (env: Readonly<Record<string, string>>, ...argv: readonly string[]) =>
  ferry(world.next({ env }), "whoami", ...argv);

const told = "FERRY_API_KEY is not used for local, whose commands have its owner's key, which may do everything (all:all)\n";

test("a key in the environment is never sent to the embedded service, and who sets one for it is told so", async () => {
  for (const env of [
    { FERRY_HOST: "local", FERRY_API_KEY: "weaker" },
    { FERRY_HOST: "", FERRY_API_KEY: "weaker" },
  ])
    expect(await whoami(env, "--host", "local")).toMatchObject({ code: 0, stderr: expect.stringContaining(told) as string });
  // One that is another host's is no key for this one, and an empty one is none.
  const none = { code: 0, stderr: expect.not.stringContaining("FERRY_API_KEY") as string };
  expect(await whoami({ FERRY_HOST: "https://a.example", FERRY_API_KEY: "weaker" }, "--host", "local")).toMatchObject(none);
  expect(await whoami({ FERRY_HOST: "local", FERRY_API_KEY: "" })).toMatchObject(none);
});
