import type { Clock, Host } from "../../host/host.ts";
import type { AnswerOf, ParamsOf, ParsedBodyOf, QueryOf } from "../../wire/contract.ts";
import type { RouteName } from "../../wire/routes.ts";
import type { Caller } from "../http/authenticate.ts";
import type { KeyEnds } from "../keys/key-ends.ts";
import type { Sealer } from "../keys/seal.ts";
import type { Log } from "../log.ts";
import type { Sessions } from "../session/sessions.ts";
import type { Store } from "../store/store.ts";

/** All that the handlers touch. */
export interface Deps {
  readonly store: Store;
  readonly keyEnds: KeyEnds;
  readonly sessions: Sessions;
  readonly sealer: Sealer;
  readonly clock: Clock;
  readonly random: Host["random"];
  readonly version: string;
  readonly log: Log;
  /** The one user who may name places on the service's own machine; undefined where all are. */
  readonly owner?: string | undefined;
  /** The pages for browsers, where there are any. */
  readonly portal?: Portal | undefined;
}

export interface Portal {
  /** `http://127.0.0.1:PORT`, known once it listens. */
  readonly url: () => string;
  /** Whether terminals can log in there. */
  readonly login: boolean;
}

/** A request that passed the key, the scopes and the contract. */
export interface Call<R extends RouteName> extends Caller {
  readonly params: ParamsOf<R>;
  readonly query: QueryOf<R>;
  readonly body: ParsedBodyOf<R>;
  readonly headers: Headers;
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal;
}

/** The answer as JSON with the contract's status, or a whole Response where it is another medium or status. */
export type Handler<R extends RouteName> = (call: Call<R>, deps: Deps) => Promise<AnswerOf<R> | Response>;

export type Handlers = { readonly [R in RouteName]: Handler<R> };
