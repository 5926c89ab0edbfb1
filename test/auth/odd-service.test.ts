import { afterEach, beforeEach, expect, test } from "vitest";
import { type ForeignLogin, makeForeignLogin } from "../support/foreign-login.ts";
import { text } from "../support/login-server.ts";

let scene: ForeignLogin;
beforeEach(() => {
  scene = makeForeignLogin();
});
afterEach(() => scene.world.dispose());

test.each(["https://x;{touch,pwned};echo/", "https://x$(id)/", "javascript:alert(1)"])(
  "a redirect to what is no host's address, %s, is in no command",
  async (location) => {
    scene.server.answers.set("/.well-known/oauth-authorization-server", async () => text(302, "", { location }));
    expect((await scene.login()).stderr).toBe(
      "ferry: agents.example.com redirects the login to somewhere that is no address of a host\n" +
        "  hint: check the host's address, and ask whoever runs the service\n",
    );
  },
);
