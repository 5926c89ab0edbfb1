import { FerryError } from "../../../base/errors.ts";
import { readLink, removeLink } from "../../flows/place/link.ts";
import { findPlace } from "../../flows/place/place.ts";
import type { Verb } from "../../verb.ts";

export const unlink: Verb = {
  name: "unlink",
  summary: "Take the current branch's link to a session away",
  examples: ["ferry session unlink"],
  async run(context) {
    const place = await findPlace(context);
    const link = await readLink(context, place);
    const here = place.branch ?? "this detached HEAD";
    if (link === undefined) throw new FerryError("not_found", `${here} is linked to no session`);
    await removeLink(context, place);
    if (context.global.json) await context.print.json({ session: link.session, host: link.host ?? null });
    await context.print.note(`${here} is no longer linked to ${link.session}`);
  },
};
