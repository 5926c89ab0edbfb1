/** Whether a host name (as `URL.hostname` has it) is this machine itself: `localhost` and below it (RFC 6761, 6.3), 127/8, ::1. */
export function isLoopback(hostname: string): boolean {
  return /^(.+\.)?localhost\.?$|^127(\.\d{1,3}){3}$|^\[?::1\]?$/i.test(hostname);
}
