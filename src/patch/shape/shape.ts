/** What the user wants to be otherwise in the commits than in the sandbox; by default nothing is. */
export interface Shape {
  /** As `git commit --signoff`. */
  readonly signoff?: boolean | undefined;
  /** As `git commit --trailer`: `Key: value`, a line each. */
  readonly trailers?: readonly string[] | undefined;
  /** As `git commit --amend --reset-author`. */
  readonly resetAuthor?: boolean | undefined;
  /** Paths that are left out, as git's pathspecs from the top of the repository. */
  readonly exclude?: readonly string[] | undefined;
}
