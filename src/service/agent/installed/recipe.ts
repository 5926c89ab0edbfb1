import type { ProtocolWishes } from "../agent.ts";
import type { PermissionPolicy } from "../ask/permission.ts";
import type { KeyForm, Provider } from "../gateway/provider.ts";

/** An ACP agent that users install themselves: all that such agents differ in. */
export interface AgentRecipe {
  readonly name: string;
  /** The program that speaks ACP, and its arguments for it. */
  readonly program: string;
  readonly args: readonly string[];
  /** The command that installs it. */
  readonly install: string;
  /** Programs that it can't do without, where the system doesn't bring them. */
  readonly companions: readonly string[];
  /** The providers that it can call. */
  readonly providers: readonly Provider["name"][];
  /** Whether a process that goes on with an earlier session forgets what that has cost. */
  readonly countsAnew?: boolean;
  /** Settings of the user's own that go along, by the names of their variables; never a key. */
  readonly variables: readonly string[];
  setUp(ways: readonly Way[], model: string, permissions: PermissionPolicy): SetUp;
  /** For one that has a subscription of its own, where ferry knows what that needs. */
  readonly own?: OwnSignIn;
}

/** What makes an agent work that has signed in by itself: its own calls of its provider's hosts, with what is in its HOME. */
export interface OwnSignIn {
  readonly hosts: readonly string[];
  setUp(model: string, permissions: PermissionPolicy): SetUp;
}

/** A way to a provider, as the agent inside sees it. */
export interface Way {
  readonly provider: Provider["name"];
  /** The gateway's address for it. */
  readonly address: string;
  /** The form of the real key; the agent has a placeholder. */
  readonly variable: KeyForm["variable"];
  /** Whether it isn't the provider's own address: another service, or a model on this machine, that speaks its interface. */
  readonly elsewhere: boolean;
}

/** What makes an agent work behind the gateway. */
export interface SetUp {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
  readonly protocol?: Partial<ProtocolWishes>;
}
