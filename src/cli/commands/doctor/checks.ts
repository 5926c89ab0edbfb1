import type { Check } from "./check.ts";
import { agents } from "./checks/agents.ts";
import { browser } from "./checks/browser.ts";
import { callback } from "./checks/callback.ts";
import { certificates } from "./checks/certificates.ts";
import { clock } from "./checks/clock.ts";
import { config } from "./checks/config.ts";
import { git } from "./checks/git.ts";
import { keychain } from "./checks/keychain.ts";
import { node } from "./checks/node.ts";
import { proxy } from "./checks/proxy.ts";
import { sandbox } from "./checks/sandbox.ts";
import { service } from "./checks/service.ts";

/** What `ferry doctor` looks at, in its order: what asks others is last, since it may take a while. */
export const checks: readonly Check[] = [
  git,
  node,
  config,
  keychain,
  browser,
  callback,
  certificates,
  agents,
  sandbox,
  proxy,
  service,
  clock,
];
