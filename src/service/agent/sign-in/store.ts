import { join } from "node:path";
import type { Files } from "../../../host/host.ts";

/** What an agent that signs in by itself, with a subscription, has of that: a HOME of its own, which its sandboxes get a copy of. */
export interface SignIn {
  readonly home: string;
  /** The way by which it signed in, as ACP names it; "" where it needn't be told again. */
  readonly method: string;
}

const folderOf = (data: string, agent: string): string => join(data, "agents", agent);
const noteIn = (data: string, agent: string): string => join(folderOf(data, agent), "sign-in.json");

/** Where it signs in. Only the user can open it. */
export async function makeHome(files: Pick<Files, "makeFolder">, data: string, agent: string): Promise<string> {
  const home = join(folderOf(data, agent), "home");
  await files.makeFolder(home, 0o700);
  return home;
}

/** Notes that it is signed in. */
export async function keepSignIn(files: Pick<Files, "write">, data: string, agent: string, method: string): Promise<void> {
  await files.write(noteIn(data, agent), JSON.stringify({ method }), 0o600);
}

/** Undefined where it isn't signed in. */
export async function readSignIn(files: Pick<Files, "readText">, data: string, agent: string): Promise<SignIn | undefined> {
  const text = await files.readText(noteIn(data, agent));
  if (text === undefined) return undefined;
  return { home: join(folderOf(data, agent), "home"), method: methodIn(text) };
}

/** Of a damaged note only the way is lost. */
function methodIn(text: string): string {
  try {
    const said: unknown = JSON.parse(text);
    return typeof said === "object" && said !== null && "method" in said && typeof said.method === "string" ? said.method : "";
  } catch (error) {
    if (error instanceof SyntaxError) return "";
    throw error;
  }
}

/** Takes it out of ferry; the provider isn't told. Nothing there is fine. */
export async function forgetSignIn(files: Pick<Files, "remove">, data: string, agent: string): Promise<void> {
  await files.remove(folderOf(data, agent));
}

/** Bytes of a file, files, and folders down: what signs in is small, what else an agent keeps isn't needed. */
const bounds = { file: 64 * 1024, files: 100, depth: 6 };
const beside = /^(node_modules|\.cache|\.npm|logs?|tmp|sessions|history)$/u;

export interface KeptFile {
  /** Below HOME. */
  readonly path: string;
  readonly bytes: Uint8Array;
  /** Epoch seconds. */
  readonly modified: number;
}

/** The files of a sign-in. */
export async function filesOf(files: Pick<Files, "list" | "status" | "read">, home: string): Promise<KeptFile[]> {
  const found: KeptFile[] = [];
  const walk = async (below: string, depth: number): Promise<void> => {
    for (const name of (await files.list(join(home, below))).sort()) {
      const path = join(below, name);
      const status = await files.status(join(home, path));
      if (status?.kind === "folder" && depth < bounds.depth && !beside.test(name)) await walk(path, depth + 1);
      if (status?.kind !== "file" || status.size > bounds.file || found.length >= bounds.files) continue;
      const bytes = await files.read(join(home, path));
      if (bytes !== undefined) found.push({ path, bytes, modified: Math.floor(status.modified / 1000) });
    }
  };
  await walk("", 1);
  return found;
}
