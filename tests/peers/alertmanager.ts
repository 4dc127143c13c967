// A real Alertmanager that notifies nobody, alone, with its silences in its folder.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findAlertmanager } from "../../tools/peers.ts";
import { startService } from "./service.ts";
import type { Service } from "./service.ts";

/** Where its API begins. */
export const alertmanagerBase = "/api/v2";

export async function startAlertmanager(): Promise<Service> {
  const command = findAlertmanager();
  if (command === undefined) throw new Error("no Alertmanager here: run `npm run peers`");
  return await startService({
    name: "Alertmanager",
    command,
    args: ({ folder, port }) => [
      `--config.file=${join(folder, "alertmanager.yml")}`,
      `--storage.path=${join(folder, "data")}`,
      `--web.listen-address=127.0.0.1:${port}`,
      "--cluster.listen-address=",
    ],
    prepare: async (folder) => {
      const quiet = "route:\n  receiver: nobody\nreceivers:\n  - name: nobody\n";
      await writeFile(join(folder, "alertmanager.yml"), quiet);
    },
    readyPath: `${alertmanagerBase}/status`,
  });
}
