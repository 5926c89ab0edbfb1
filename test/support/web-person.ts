/** A person with a browser, as far as HTTP goes: signs in by the link's code, and approves what a terminal asks for. */
export async function approveByHand(address: string, signInCode: string): Promise<void> {
  const { origin } = new URL(address);
  const submit = (path: string, fields: Record<string, string>, cookie = "") =>
    fetch(origin + path, { method: "POST", redirect: "manual", headers: { origin, cookie }, body: new URLSearchParams(fields) });
  const signedIn = await submit("/sign-in", { code: signInCode, to: "/" });
  const cookie = (signedIn.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
  // Below the path of the sign-in, as the redirect has it.
  const own = address.replace(origin, origin + (signedIn.headers.get("location") ?? "").replace(/\/$/u, ""));
  const page = await (await fetch(own, { headers: { cookie } })).text();
  const csrf = /name="csrf" value="([^"]+)"/u.exec(page)?.[1] ?? "";
  const { pathname, search } = new URL(own);
  const decided = await submit(pathname + search, { csrf, decision: "approve" }, cookie);
  await (await fetch(decided.headers.get("location") ?? "")).text();
}
