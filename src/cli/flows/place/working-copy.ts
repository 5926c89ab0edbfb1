import type { Context } from "../../context.ts";

/**
 * Told before an agent works that its commits couldn't come here.
 * @throws FerryError not_found outside of a repository, attention where a pull would refuse the one here whatever came
 */
export async function requireWorkingCopy({ git, folder, host }: Context): Promise<void> {
  const { findWorkingCopy } = await import("../../../patch/preconditions.ts");
  await findWorkingCopy(git, { folder }, host);
}
