import { expect, test } from "vitest";
import type { Probe, SandboxDriver, SandboxDriverName } from "../../../src/service/sandbox/driver.ts";
import { chooseDriver, faultsOf, makeDrivers } from "../../../src/service/sandbox/registry.ts";
import { machine } from "../../support/sandbox.ts";

function driver(name: SandboxDriverName, probe: Partial<Probe> = {}): SandboxDriver & { probed: number } {
  return {
    name,
    probed: 0,
    probe() {
      this.probed += 1;
      return Promise.resolve({ works: true, reason: `${name} 1.0`, unenforced: [], weak: [], ...probe });
    },
    create: () => Promise.reject(new Error("nothing is made while choosing")),
    sweep: () => Promise.reject(new Error("nothing is swept while choosing")),
  };
}

const broken = { works: false, reason: "not here: install it" };

test("the first that works is taken, and those after it aren't tried", async () => {
  const [first, second, third] = [driver("bwrap", broken), driver("unshare"), driver("process")];
  expect((await chooseDriver("auto", [first, second, third])).driver).toBe(second);
  expect([first.probed, second.probed, third.probed]).toEqual([1, 1, 0]);
});

test("what one that works isn't is said, and why those before it aren't taken", async () => {
  const weak = driver("oci", { unenforced: ["cpu", "memory"], weak: ["it leaks"] });
  const { probe, passed } = await chooseDriver("auto", [driver("bwrap", broken), weak]);
  expect(faultsOf(probe)).toEqual(["no limit of cpu, memory can be kept", "it leaks"]);
  expect(passed).toEqual(["bwrap: not here: install it"]);
});

test("running without a sandbox is never a fallback, and told of", async () => {
  const bare = driver("process");
  await expect(chooseDriver("auto", [driver("bwrap", broken), driver("unshare", broken), bare])).rejects.toMatchObject({
    kind: "failure",
    details: ["bwrap: not here: install it", "unshare: not here: install it"],
    hint: expect.stringContaining("--sandbox process") as string,
  });
  expect(bare.probed).toBe(0);
});

test("running without one is had by asking for it", async () => {
  expect((await chooseDriver("process", [driver("bwrap"), driver("process")])).driver.name).toBe("process");
});

test("one that is asked for has no stand-in", async () => {
  await expect(chooseDriver("bwrap", [driver("bwrap", broken), driver("unshare")])).rejects.toMatchObject({
    kind: "failure",
    details: ["bwrap: not here: install it"],
  });
  await expect(chooseDriver("oci", [driver("bwrap"), driver("unshare")])).rejects.toMatchObject({
    kind: "usage",
    hint: "one of: auto, bwrap, unshare",
  });
});

test("on another system those that need Linux say so", async () => {
  const drivers = makeDrivers({ ...machine, platform: "darwin" });
  const reasons = await Promise.all(drivers.slice(0, 2).map((each) => each.probe()));
  expect(reasons).toEqual([1, 2].map(() => ({ works: false, reason: "needs Linux", unenforced: [], weak: [] })));
});
