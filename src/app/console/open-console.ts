/** The console of a running server: its surface, its sessions and the files that it serves. */
import { hostname } from "node:os";
import type { ModuleLog } from "../../contract/ports.ts";
import type { Authentication } from "../../intents/auth/authentication.ts";
import { openLinks } from "../../intents/sessions/links.ts";
import { sessionAuthentication } from "../../intents/sessions/session-authentication.ts";
import { followSessionEnds } from "../../intents/sessions/session-ends.ts";
import type { SessionEnds } from "../../intents/sessions/session-ends.ts";
import { openSessions } from "../../intents/sessions/sessions.ts";
import { systemCause } from "../../kernel/cause.ts";
import { consoleSurface } from "../../surfaces/console/console-surface.ts";
import { signInRate } from "../../surfaces/console/sign-in-rate.ts";
import { linkUrl } from "../../surfaces/console/session-api.ts";
import type { HttpSurface } from "../../surfaces/http/surface.ts";
import { readBuild } from "../build.ts";
import type { ServeConfig } from "../config.ts";
import type { ControlPlane } from "../control-plane.ts";
import type { Credentials } from "../credentials.ts";
import { codeIssuers } from "./code-issuers.ts";
import { openConsoleSite } from "./console-site.ts";

export interface OpenConsole extends AsyncDisposable {
  /** Empty where the console is switched off. */
  readonly surfaces: readonly HttpSurface[];
  /** With sessions, where the console is served. */
  readonly identification: {
    readonly authentication: Authentication;
    readonly sessionEnds?: SessionEnds;
  };
  /** Reads or builds the files before a browser asks for them. */
  readonly prepare: () => void;
  /** A link that signs the administrator in, once; undefined where the console is switched off. */
  readonly adminLink: (origin: string) => Promise<string | undefined>;
}

export interface ConsoleInput {
  readonly config: Pick<ServeConfig, "console" | "hosts" | "listen" | "oidc">;
  readonly plane: Pick<ControlPlane, "intents" | "feed">;
  readonly credentials: Pick<Credentials, "adminToken" | "apiAudiences">;
  /** Of other clients. */
  readonly authentication: Authentication;
  readonly log: ModuleLog;
  /** For lines that any visitor can cause. */
  readonly callerLog: ModuleLog;
  /** The origin of the listener without TLS, once there is one. */
  readonly loopbackOrigin: () => string | undefined;
  /** The folder of the installation; that of this process when left out. */
  readonly root?: string | undefined;
}

export function openConsole(input: ConsoleInput): OpenConsole {
  const { config, plane, credentials, authentication, log, callerLog, root } = input;
  if (!config.console.isServed) {
    return {
      surfaces: [],
      identification: { authentication },
      prepare: () => undefined,
      adminLink: async () => undefined,
      [Symbol.asyncDispose]: async () => undefined,
    };
  }
  const { intents, feed } = plane;
  const { clock, ids, random } = intents;
  const { apiAudiences, adminToken } = credentials;
  const site = openConsoleSite(log, root);
  const sessions = openSessions(intents, config.console.times);
  const links = openLinks(intents);
  const sessionEnds = followSessionEnds(feed);
  const hosts = hostsOf(config);
  const readServer = readBuild();
  const surface = consoleSurface({
    site,
    ids,
    clock,
    random,
    authentication,
    apiAudiences,
    sessions,
    links,
    takeSignIn: signInRate(clock),
    hosts,
    readServer: async () => {
      const { version, revision } = await readServer();
      const name = config.console.name ?? hostname();
      return { name, version, ...(revision === undefined ? {} : { revision }) };
    },
    issuers: codeIssuers(config.oidc, clock),
    onIssuerFailure: (issuer, error) => callerLog.warn({ issuer, error }, "sign-in not completed"),
    loopbackOrigin: input.loopbackOrigin,
  });
  return {
    surfaces: [surface],
    identification: {
      authentication: sessionAuthentication({
        base: authentication,
        sessions,
        apiAudiences,
        hosts,
      }),
      sessionEnds,
    },
    prepare: () => {
      site.state().catch((error: unknown) => log.error({ error }, "console not read"));
    },
    adminLink: async (origin) =>
      linkUrl(origin, (await links.create(adminToken, systemCause)).code),
    [Symbol.asyncDispose]: async () => {
      sessionEnds[Symbol.dispose]();
      await site[Symbol.asyncDispose]();
    },
  };
}

/** The names in the certificate of the server. */
function hostsOf({ listen, hosts }: Pick<ServeConfig, "listen" | "hosts">): ReadonlySet<string> {
  const names = ["localhost", hostname(), listen.host, ...hosts];
  return new Set(names.map((name) => name.toLowerCase()));
}
