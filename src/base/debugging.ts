/** Whether FERRY_DEBUG asks for traces: set to anything but a word for no, as git has its GIT_TRACE (git(1), Environment Variables). */
export function isDebugging(env: Readonly<Record<string, string | undefined>>): boolean {
  return !["", "0", "false", "no", "off"].includes((env["FERRY_DEBUG"] ?? "").toLowerCase());
}
