import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Session } from "../../src/wire/resources.ts";

/** A service with twenty sessions and nothing else, on a port of its own. */
export async function startListingService(): Promise<{ address: string; close: () => void }> {
  const server = createServer((request, response) => {
    const found = request.url?.startsWith("/api/v1/sessions") === true;
    response.writeHead(found ? 200 : 404, { "content-type": "application/json" });
    response.end(
      JSON.stringify(found ? { items: Array.from({ length: 20 }, makeSession), next_cursor: null } : { error: "not found" }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}

function makeSession(_: unknown, index: number): Session {
  const at = new Date(Date.UTC(2026, 0, 1, index)).toISOString();
  return {
    id: `ses_${String(index).padStart(16, "0")}`,
    title: `Session ${index}`,
    workspace_id: "wsp_1",
    user_id: "usr_1",
    branch_name: `ferry/${index}`,
    auto_commit: true,
    status: "active",
    origin: "api",
    created_at: at,
    updated_at: at,
    model: "shell",
    agent_status: "idle",
  };
}
