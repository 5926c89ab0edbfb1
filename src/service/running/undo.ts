/** What must be taken back when a start fails half way, and at the end: the last thing first. */
export class Undo {
  private readonly steps: (() => Promise<void> | void)[] = [];

  add(step: () => Promise<void> | void): void {
    this.steps.push(step);
  }

  /** Does every step, also after one failed. @throws the first step's error */
  async run(): Promise<void> {
    const errors: unknown[] = [];
    for (let step = this.steps.pop(); step !== undefined; step = this.steps.pop()) {
      try {
        await step();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors[0];
  }
}
