/**
 * What can be known to be wrong before a server opens or makes anything: files that the
 * configuration names, and an address that somebody else listens on. A start that fails for one of
 * these leaves no store, no keys and no certificates behind.
 */
import { once } from "node:events";
import { readFileSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import type { AuditPolicy } from "../intents/audit/audit-policy.ts";
import { SetpointError } from "../kernel/errors.ts";
import { unusableAddress } from "../surfaces/http/server.ts";
import { readAuditPolicy } from "./audit-policy-file.ts";
import { readAuthenticationFiles } from "./authenticators.ts";
import type { AuthenticationFiles } from "./authenticators.ts";
import type { ServeConfig } from "./config.ts";
import { portHolder } from "./port-holder.ts";

export interface StartInputs {
  readonly authentication: AuthenticationFiles;
  readonly audit: { readonly policy: AuditPolicy; readonly path: string } | undefined;
}

export async function checkBeforeStart(config: ServeConfig): Promise<StartInputs> {
  const authentication = readAuthenticationFiles(config);
  const audit = auditInputs(config);
  const { requestLogFile } = config;
  if (requestLogFile !== undefined) checkFolder(config, "request-log", requestLogFile);
  await checkAddress(config);
  return { authentication, audit };
}

function auditInputs(config: ServeConfig): StartInputs["audit"] {
  const { audit } = config;
  if (audit === undefined) return undefined;
  const { policyFile, logFile: path } = audit;
  const policy = readAuditPolicy(policyFile);
  checkFolder(config, "audit-log", path);
  return { policy, path };
}

function checkFolder({ dataFolder }: ServeConfig, option: string, path: string): void {
  const folder = dirname(path);
  // The data folder is made by the start itself.
  const isThere = statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
  if (isThere || folder === dataFolder) return;
  throw new SetpointError("config.invalid", `--${option}: the folder ${folder} does not exist`, {
    details: { option, path },
    suggestion: "create the folder, or name a file in another folder",
  });
}

/** Listens for a moment: only the operating system knows who else does. */
async function checkAddress(config: ServeConfig): Promise<void> {
  const { host, port } = config.listen;
  const probe = createServer();
  try {
    probe.listen({ host, port, exclusive: true });
    await once(probe, "listening");
  } catch (error) {
    const cause = error as NodeJS.ErrnoException;
    const problem = unusableAddress(config.listen, cause);
    if (cause.code !== "EADDRINUSE") throw problem;
    const { code, details, suggestion } = problem;
    const holder = portHolder(port);
    const who = holder === undefined ? "" : `: ${holder.program} (process ${holder.pid})`;
    const message = `${problem.message}${who}`;
    if (!isOwnAddress(config)) throw new SetpointError(code, message, { details, suggestion });
    throw new SetpointError(code, message, {
      details,
      suggestion:
        `if it is a server on the same data, use it: ` +
        `export KUBECONFIG=${kubeconfigOf(config)}; else ${suggestion}`,
    });
  }
  probe.close();
  await once(probe, "close");
}

/** Whether the last server on this data listened there: it is most likely still running. */
function isOwnAddress(config: ServeConfig): boolean {
  try {
    const text = readFileSync(kubeconfigOf(config), "utf8");
    return text.includes(`:${config.listen.port}`);
  } catch {
    return false;
  }
}

function kubeconfigOf({ dataFolder }: ServeConfig): string {
  return join(dataFolder, "kubeconfig");
}
