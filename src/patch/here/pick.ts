import { join } from "node:path";
import { type GitPath, showPath } from "../../git/path.ts";
import { modes } from "../../git/records.ts";
import { pickApart } from "../conflict/apart.ts";
import type { Stop } from "../conflict/found.ts";
import { exchange } from "../conflict/exchange.ts";
import { endPick, pickedTree } from "../conflict/pick.ts";
import type { PullContext } from "../context.ts";
import { Looker } from "../land/disk.ts";
import { hold, holdsOf, letGo } from "../land/hold.ts";
import { copyIndex } from "../land/index-entries.ts";
import { keepEdited } from "../land/land.ts";
import { checkPaths } from "../land/path-check.ts";
import { refLocks } from "../land/ref-locks.ts";
import { RefsMoved } from "../land/transaction.ts";
import { ferryFolder } from "../quarantine.ts";
import { Aside, planAside } from "../recovery/aside.ts";
import { Journal } from "../recovery/journal.ts";
import { runPorcelain } from "../recovery/porcelain.ts";
import { recover } from "../recovery/recover.ts";
import { changesBetween } from "../recovery/settle.ts";

/**
 * Picks the commit that doesn't fit in the working copy: its files are made apart, and come when all are made. All of it is in the
 * journal: killed on the way, the next run takes it back.
 * @throws RefsMoved where a file was changed meanwhile; nothing is picked then
 */
export async function pickHere({ error, quarantine }: Stop, context: PullContext): Promise<"stopped" | "came"> {
  const { git, host, repository } = context;
  const { gitDir, workTree } = repository;
  const { conflict } = error;
  const journal = new Journal(ferryFolder(repository), host.clock);
  const goal = { new: conflict.tree, updates: [] };
  const refs = await refLocks([...holdsOf(goal).keys()], repository);
  const locks = { refs, index: [join(gitDir, "index.lock")], tree: [] };
  await journal.begin({ gitDir, workTree, old: conflict.tip, ...goal, locks, stop: conflict.item.commit });
  const holder = { git, repository, children: journal.children("refs") };
  try {
    await hold(goal, holder);
    await makeStop(conflict, { journal, scratch: quarantine.folder }, context);
    await letGo(goal, holder);
    await keepEdited(journal, context);
    await journal.end();
  } catch (failure) {
    await recover(context);
    throw failure;
  }
  return endPick({ cwd: workTree, gitDir, workTree }, context);
}

async function makeStop(
  { item, tip, tree }: Stop["error"]["conflict"],
  { journal, scratch }: { journal: Journal; scratch: string },
  context: PullContext,
): Promise<void> {
  const { git, repository, checkpoint } = context;
  const { gitDir, workTree } = repository;
  const folder = await journal.makePicked();
  const index = journal.pickedIndex;
  await copyIndex(join(gitDir, "index"), index);
  const done = await pickApart(item.commit, { gitDir, workTree, folder }, context);
  await checkpoint("here-made");
  const picked = (await pickedTree({ cwd: workTree, gitDir, workTree }, context)) ?? tree;
  const changes = await changesBetween({ git, repository }, tip, picked);
  const check = await checkPaths({ git, repository, scratch, index }, changes);
  const changed = (path: GitPath) => new RefsMoved("attention", `${showPath(path)} was changed meanwhile`);
  for (const { path } of [...check.blocked, ...check.own]) throw changed(path);
  const there = new Set(check.present.map(({ path }) => path));
  const ours = changes.filter(({ path }) => !there.has(path));
  const going = ours.filter(({ newMode }) => newMode === modes.absent).map(({ path }) => path);
  const written = ours.filter(({ newMode }) => newMode !== modes.absent).map(({ path }) => path);
  const [made, here] = [new Looker(folder), new Looker(workTree)];
  const isMade = (path: GitPath) => made.look(path).what !== "nothing";
  // Nothing is made of what is out of sight; what is in conflict comes into it, also where it stays as it is.
  const shown = done.changed.filter((path) => done.after.has(path) && isMade(path) && here.look(path).what === "nothing");
  const coming = [...new Set([...written.filter(isMade), ...shown])];
  const isComing = new Set(coming);
  const kept = planAside(changes, check);
  const before = { ...check.before, kept: check.before.kept.filter((path) => !isComing.has(path)), ...kept };
  const aside = new Aside(await journal.makeAside(), kept, { git, repository });
  await journal.writing(before, picked);
  await checkpoint("here-looked");
  const take = async (path: GitPath) => {
    const isTaken = aside.take(path);
    await checkpoint("here-taken");
    return isTaken;
  };
  const makeRoom = (path: GitPath) => Promise.reject(changed(path));
  await exchange({ folder, coming, going }, { copy: { repository }, take, makeRoom });
  await runPorcelain(["update-index", "-q", "--refresh"], { cwd: workTree, gitDir, workTree }, context);
  await journal.dropPicked();
  await checkpoint("here-picked");
}
