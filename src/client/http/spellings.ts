/** A way to write a key. */
export interface Form {
  /** The first at or after `from`. */
  find(bytes: Buffer, from: number): Found | undefined;
  /** Where the bytes end with what may be the beginning of it; their end where they don't. */
  startOf(bytes: Buffer): number;
}

interface Found {
  readonly at: number;
  readonly end: number;
}

/** The key as texts have it, in addresses and in JSON. What is that short is no secret. */
export function formsOf(key: string): Form[] {
  if (key.length <= 4) return [];
  return [literal(key), escaped(Buffer.from(key))];
}

function literal(text: string): Form {
  const form = Buffer.from(text);
  const [first = 0] = form;
  return {
    find(bytes, from) {
      const at = bytes.indexOf(form, from);
      return at === -1 ? undefined : { at, end: at + form.length };
    },
    startOf(bytes) {
      let at = bytes.indexOf(first, Math.max(0, bytes.length - form.length + 1));
      while (at !== -1 && !form.subarray(0, bytes.length - at).equals(bytes.subarray(at))) at = bytes.indexOf(first, at + 1);
      return at === -1 ? bytes.length : at;
    },
  };
}

const [backslash, u, percent] = [0x5c, 0x75, 0x25];

/**
 * JSON may write any character as `\uXXXX`, and slash, quote and backslash with a backslash before it (RFC 8259, 7): some services do so
 * with `+` and `/`. Addresses and forms may write any as `%XX` (RFC 3986, 2.1). Written without any of that it is the literal.
 */
function escaped(key: Buffer): Form {
  // Of a long timeline's many escapes those alone are looked at that may write a character of the key, which is ASCII.
  const inJson = ["u00", ...['"', "\\", "/"].filter((each) => key.includes(each))].map((each) => `\\${each}`);
  const escapes = [...inJson, "%"].map((each) => Buffer.from(each));
  return {
    find(bytes, from) {
      const found = escapes.flatMap((escape) => findBy(escape, bytes, { key, from }) ?? []);
      return found.reduce<Found | undefined>((one, other) => (one === undefined || other.at < one.at ? other : one), undefined);
    },
    startOf(bytes) {
      for (let at = Math.max(0, bytes.length - 6 * key.length + 1); at < bytes.length; at++)
        if (endIn(bytes, at, key) === "cut off") return at;
      return bytes.length;
    },
  };
}

/** The first key whose first escape is such a one: before it all is written as it is. */
function findBy(escape: Buffer, bytes: Buffer, { key, from }: { key: Buffer; from: number }): Found | undefined {
  for (let place = bytes.indexOf(escape, from); place !== -1; place = bytes.indexOf(escape, place + 1)) {
    const character = readCharacter(bytes, place)?.character ?? -1;
    for (let before = key.indexOf(character); before !== -1; before = key.indexOf(character, before + 1)) {
      const at = place - before;
      const end = at < from ? undefined : endIn(bytes, at, key);
      if (typeof end === "number") return { at, end };
    }
  }
  return undefined;
}

/** Where the key ends that begins at `from`: "cut off" where the bytes end before it does, undefined where it is something else. */
function endIn(bytes: Buffer, from: number, key: Buffer): number | "cut off" | undefined {
  let at = from;
  for (const expected of key) {
    const read = readCharacter(bytes, at);
    if (read === undefined) return "cut off";
    if (read.character !== expected) return undefined;
    at = read.end;
  }
  return at;
}

/** Undefined where the bytes end before it does. A line break's letter and the like are no character of a key, nor that letter. */
function readCharacter(bytes: Buffer, at: number): { readonly character: number; readonly end: number } | undefined {
  const [first, second] = [bytes[at], bytes[at + 1]];
  if (first === undefined || (first === backslash && second === undefined)) return undefined;
  if (first === percent) return readPercent(bytes, at);
  if (first !== backslash) return { character: first, end: at + 1 };
  if (second !== u) return { character: '"\\/'.includes(String.fromCharCode(second ?? 0)) ? (second ?? -1) : -1, end: at + 2 };
  const end = at + 6;
  return end > bytes.length ? undefined : { character: Number.parseInt(bytes.toString("latin1", at + 2, end), 16), end };
}

function readPercent(bytes: Buffer, at: number): { readonly character: number; readonly end: number } | undefined {
  const end = at + 3;
  if (end > bytes.length) return undefined;
  const digits = bytes.toString("latin1", at + 1, end);
  return /^[0-9a-f]{2}$/iu.test(digits) ? { character: Number.parseInt(digits, 16), end } : { character: percent, end: at + 1 };
}

const standIn = Buffer.from("<redacted>");

export function without(bytes: Buffer, form: Form): Buffer {
  const kept: Buffer[] = [];
  let from = 0;
  for (let found = form.find(bytes, 0); found !== undefined; found = form.find(bytes, from)) {
    kept.push(bytes.subarray(from, found.at), standIn);
    from = found.end;
  }
  return from === 0 ? bytes : Buffer.concat([...kept, bytes.subarray(from)]);
}
