import { ReaderGoneError } from "../../base/errors.ts";
import type { Host, Output } from "../../host/host.ts";

/**
 * The host for a command that has more to do than to print: where nobody reads its output any more, it goes on in silence.
 *
 * Only a write finds that out: of a pipe that nothing is written to Linux tells by poll(2) alone (POLLERR), which Node has no call for.
 * A socket made of its file descriptor can't be read from (ENOTCONN), a write of nothing succeeds, and opening it anew does too. So
 * `ferry tail | head -1` ends with the next event.
 */
export function outlivingReaders(host: Host): Host {
  const { stdout, stderr } = host.terminal;
  return { ...host, terminal: { ...host.terminal, stdout: whileRead(stdout), stderr: whileRead(stderr) } };
}

function whileRead(output: Output): Output {
  let isRead = true;
  return {
    get isTTY() {
      return output.isTTY;
    },
    get columns() {
      return output.columns;
    },
    get rows() {
      return output.rows;
    },
    get color() {
      return output.color;
    },
    async write(text) {
      if (!isRead) return;
      try {
        await output.write(text);
      } catch (error) {
        if (!(error instanceof ReaderGoneError)) throw error;
        isRead = false;
      }
    },
  };
}
