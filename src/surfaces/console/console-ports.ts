// What the surface needs of the server.

import type { Authentication } from "../../intents/auth/authentication.ts";
import type { Links } from "../../intents/sessions/links.ts";
import type { Sessions } from "../../intents/sessions/sessions.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { Ids } from "../../kernel/ids.ts";
import type { Random } from "../../kernel/random.ts";
import type { Exchange } from "../http/exchange.ts";
import type { ParsedRequest, SurfaceRequest } from "../http/surface.ts";
import type { ConsoleTarget } from "./console-path.ts";
import type { TakeSignIn } from "./sign-in-rate.ts";
import type { CodeIssuer } from "./oidc/code-issuer.ts";
import type { ConsoleSite } from "./site.ts";

export interface ConsoleServer {
  /** How people name this server, to tell several apart. */
  readonly name: string;
  readonly version: string;
  readonly revision?: string;
}

export interface ConsolePorts {
  readonly site: ConsoleSite;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly random: Random;
  readonly authentication: Pick<Authentication, "authenticateToken">;
  readonly apiAudiences: readonly string[];
  readonly sessions: Sessions;
  readonly links: Links;
  readonly takeSignIn: TakeSignIn;
  /** The names under which browsers reach this server, in lower case. */
  readonly hosts: ReadonlySet<string>;
  readonly readServer: () => Promise<ConsoleServer>;
  /** OpenID providers with which users can sign in. */
  readonly issuers: readonly CodeIssuer[];
  /** For the log: a provider did not answer, or refused a sign-in. */
  readonly onIssuerFailure: (issuer: string, error: unknown) => void;
  /** The origin of the listener without TLS on loopback; undefined where there is none. */
  readonly loopbackOrigin: () => string | undefined;
}

export interface ConsoleRequest extends ParsedRequest {
  readonly target: ConsoleTarget;
  readonly query: URLSearchParams;
  readonly method: string;
}

export type ConsoleCall = SurfaceRequest<ConsoleRequest>;

/** What cookies and checks of the origin need to know of a request. */
export function factsOf({
  headers,
  method,
  isSecure,
}: Exchange): Pick<Exchange, "headers" | "method" | "isSecure"> {
  return { headers, method, isSecure };
}
