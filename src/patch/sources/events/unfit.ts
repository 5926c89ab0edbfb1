import { FerryError } from "../../../base/errors.ts";

/** What an event tells can't be done to the files as they are: said with the event by whoever knows it. */
export class Unfit extends FerryError {
  constructor(reason: string) {
    super("failure", reason);
  }
}
