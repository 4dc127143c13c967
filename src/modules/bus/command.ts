// A command as the inbox hands it to the surface of the module, and its outcome.

import type { UserInfo } from "../../intents/auth/user.ts";
import type { JsonObject } from "../../kernel/json.ts";

export interface Command {
  /** Of a route, such as "environments.create". */
  readonly name: string;
  /** On whose behalf it runs. */
  readonly user: UserInfo;
  /** The user of the broker that sent it. */
  readonly producer: string;
  readonly messageId: string;
  /** Of name and body. */
  readonly digest: string;
  readonly path: Readonly<Record<string, string>>;
  readonly query: JsonObject;
  /** The body for the route; undefined when the message has none. */
  readonly data: JsonObject | undefined;
  readonly ifMatch: string | undefined;
  readonly traceId: string;
  readonly correlationId: string;
}

export interface CommandOutcome {
  readonly kind: "accepted" | "rejected";
  /** As the REST API would answer. */
  readonly status: number;
  /** The answer of the route, or a problem (RFC 9457). */
  readonly document: JsonObject;
  /** The command was carried out by an earlier delivery. */
  readonly isRepeated: boolean;
}

/** Rejects with an error that may pass, such as an overloaded store; nothing was done then. */
export type PerformCommand = (command: Command, signal: AbortSignal) => Promise<CommandOutcome>;

/** What the module offers to its surface: the inbox begins when it can perform commands. */
export interface BusOffer {
  readonly performWith: (perform: PerformCommand) => void;
}
