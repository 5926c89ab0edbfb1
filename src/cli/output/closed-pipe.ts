import type { Host, Output } from "../../host/host.ts";

/** Whether a write failed because its reader is gone (`| head`, a quit pager). */
export function isClosedPipe(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EPIPE";
}

/** The host for a command that has more to do than to print: where nobody reads its output any more, it goes on in silence. */
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
        if (!isClosedPipe(error)) throw error;
        isRead = false;
      }
    },
  };
}
