import { createCipheriv, createDecipheriv } from "node:crypto";
import { FerryError } from "../../base/errors.ts";

/** Keeps secrets that the service must be able to read again: AES-256-GCM (NIST SP 800-38D), a fresh 96-bit nonce each time. */
export interface Sealer {
  /** `context` (the owner's id) is bound in: sealed text that was moved to another owner doesn't open. */
  seal(secret: string, context: string): string;
  /** @throws FerryError failure where the text was changed, moved, or sealed with another key */
  open(sealed: string, context: string): string;
}

const algorithm = "aes-256-gcm";
const nonceSize = 12;
const tagSize = 16;
/** In front of what is sealed, so that another algorithm can follow. */
const version = "v1.";

/** `key` has 32 bytes, `random(n)` gives n. */
export function makeSealer(key: Uint8Array, random: (size: number) => Uint8Array): Sealer {
  return {
    seal(secret, context) {
      const nonce = random(nonceSize);
      const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(context));
      const text = Buffer.concat([cipher.update(secret, "utf8"), cipher.final()]);
      return version + Buffer.concat([nonce, cipher.getAuthTag(), text]).toString("base64url");
    },
    open(sealed, context) {
      const bytes = Buffer.from(sealed.slice(version.length), "base64url");
      try {
        const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceSize), { authTagLength: tagSize })
          .setAAD(Buffer.from(context))
          .setAuthTag(bytes.subarray(nonceSize, nonceSize + tagSize));
        return Buffer.concat([decipher.update(bytes.subarray(nonceSize + tagSize)), decipher.final()]).toString("utf8");
      } catch (cause) {
        throw new FerryError("failure", `the stored secret of ${context} can't be opened`, {
          hint: "was the file `seal` of the data folder replaced? store the secret again",
          cause,
        });
      }
    },
  };
}
