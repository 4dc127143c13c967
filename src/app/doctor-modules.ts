/** What `setpoint doctor --module FILE` finds in the modules of users, without a server. */
import { failure } from "./finding.ts";
import type { Finding } from "./finding.ts";
import { loadModules } from "./load-modules.ts";

export async function diagnoseModules(files: readonly string[]): Promise<readonly Finding[]> {
  const subject = "module";
  const { modules, broken } = await loadModules(files);
  const usable = modules.map(({ file, name, kinds }): Finding => {
    const ids = kinds.map(({ id }) => id).join(", ");
    const message = `${file} is usable: module ${name}${ids === "" ? "" : ` with ${ids}`}`;
    return { level: "ok", subject, message };
  });
  return [...usable, ...broken.map(({ file, error }) => failure(subject, file, error))];
}
