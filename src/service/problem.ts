/**
 * A refusal that becomes an HTTP answer: structured for 400 and where the interface says so, simple else. `code` is a
 * stable snake_case word, `message` one sentence that names the thing.
 */
export class Problem extends Error {
  override readonly name = "Problem";
  readonly status: number;
  readonly code: string;

  constructor(
    status: 400 | 401 | 403 | 404 | 409 | 413 | 415 | 421 | 422 | 429 | 500 | 501 | 503,
    code: string,
    message: string,
  ) {
    super(message);
    this.status = status;
    this.code = code;
  }
}
