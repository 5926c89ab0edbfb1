// The MCP server that an agent in a sandbox is given, as far as it is inside: it carries lines between the agent and the service's
// socket, and knows nothing. A program of its own, bundled into one file.
import { connect } from "node:net";

const socket = connect(process.argv[2] ?? "");
process.stdin.pipe(socket).pipe(process.stdout);
socket.once("error", (error) => {
  console.error(`ferry's service can't be reached: ${error.message}`);
  process.exitCode = 1;
});
// The agent reads an end, however it came about; what it still writes then is for nobody.
socket.once("close", () => process.exit());
process.stdout.on("error", () => socket.destroy());
