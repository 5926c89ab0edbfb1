import type { Host } from "../../host/host.ts";

/** What the drivers need of the outside world. */
export type SandboxHost = Pick<Host, "clock" | "env" | "platform" | "processes">;
