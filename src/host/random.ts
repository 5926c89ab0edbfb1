/** Random bytes, fit for secrets. Most commands need none, and node:crypto takes longer to load than what they do. */
export function randomBytes(size: number): Buffer {
  return process.getBuiltinModule("node:crypto").randomBytes(size);
}
