/**
 * The console that this installation serves. A package contains it built, in console/dist. A clone
 * builds it when it is first needed: in the background, while the server already answers.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ModuleLog } from "../../contract/ports.ts";
import type { ConsoleSite, SiteState } from "../../surfaces/console/site.ts";
import { buildFolder, buildSite, sourceHash } from "./build-site.ts";
import { readSite } from "./read-site.ts";

export interface OwnConsoleSite extends ConsoleSite, AsyncDisposable {}

const installation = fileURLToPath(new URL("../../../", import.meta.url));

/** The end of the output of a failed build: the error is there. */
const maxReasonChars = 4_000;

/** `root` is the folder of the installation. */
export function openConsoleSite(log: ModuleLog, root = installation): OwnConsoleSite {
  const stop = new AbortController();
  let state: SiteState | undefined;
  let failedHash = "";
  let building: Promise<void> | undefined;
  let finding: Promise<SiteState> | undefined;

  const build = async (hash: string): Promise<void> => {
    try {
      const files = await readSite(await buildSite(root, hash, stop.signal));
      if (files === undefined) throw new Error("the build contains no index.html");
      state = { kind: "ready", files };
    } catch (error) {
      if (stop.signal.aborted) return;
      failedHash = hash;
      log.error({ error }, "console not built");
      state = { kind: "failed", reason: reasonOf(error, root) };
    }
  };

  const find = async (): Promise<SiteState> => {
    // In a clone, console/dist is what `npm pack` left, and may be older than the sources.
    if (!existsSync(join(root, "console", "package.json"))) {
      const packaged = await readSite(join(root, "console", "dist"));
      return packaged === undefined ? { kind: "absent" } : { kind: "ready", files: packaged };
    }
    const hash = await sourceHash(root);
    const built = await readSite(buildFolder(root, hash));
    if (built !== undefined) return { kind: "ready", files: built };
    // A failed build is repeated when its sources have changed.
    if (state?.kind === "failed" && hash === failedHash) return state;
    state = { kind: "building" };
    building = build(hash);
    return state;
  };

  return {
    state: async () => {
      if (state?.kind === "ready" || state?.kind === "building") return state;
      finding ??= find().finally(() => (finding = undefined));
      const found = await finding;
      if (found.kind === "ready") state = found;
      return found;
    },
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await building;
    },
  };
}

/** Visitors do not see where the installation is. */
function reasonOf(error: unknown, root: string): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replaceAll(root, "./").slice(-maxReasonChars);
}
